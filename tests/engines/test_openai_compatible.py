"""The client of OpenAI-compatible servers, against one that behaves well and badly."""

import socket
import threading
from collections.abc import Callable, Generator, Iterator
from dataclasses import replace

import pytest
from pytest_django import Settings

from engines import errors
from engines.llm import ChatMessage, OpenAICompatible, Prompt, get_llm, read_reply
from engines.reasoning import ReasoningPiece
from tests.peers import DONE, HANG_UP, ChatPeer, Reply, chat_peer, delta, refusal

PROMPT = Prompt((ChatMessage("system", "Be brief."), ChatMessage("user", "Grüß wen?")))
KEY = "sk-very-secret"
NEVER = threading.Event()  # whoever waits for it is left alone in the end (`ChatPeer.left_alone`)


@pytest.fixture
def peer(settings: Settings) -> Iterator[ChatPeer]:
    """A peer that the settings point to."""
    with chat_peer() as peer:
        settings.LECTERN_ANSWERER = "engines.llm.OpenAICompatible"
        settings.LECTERN_LLM_BASE_URL = peer.url
        settings.LECTERN_LLM_API_KEY = KEY
        settings.LECTERN_LLM_MODEL = "small-model"
        settings.LECTERN_LLM_TIMEOUT = settings.LECTERN_LLM_CONNECT_TIMEOUT = 20  # on a busy machine
        yield peer


def ask() -> list[str]:
    return [piece for piece in get_llm().stream(PROMPT) if piece]


def test_an_answer_arrives_in_pieces_and_the_turns_are_sent_as_they_are(peer: ChatPeer) -> None:
    peer.replies = [Reply((delta("Die "), delta("Wält 🌍"), delta(finish="stop"), DONE))]
    llm = get_llm()
    assert (llm.name, llm.generative) == ("small-model", True)
    assert "".join(llm.stream(PROMPT)) == "Die Wält 🌍"
    [(path, headers, body)] = peer.asked
    assert path == "/v1/chat/completions"
    assert headers["Authorization"] == f"Bearer {KEY}"
    assert (body["model"], body["stream"]) == ("small-model", True)
    assert body["messages"] == [
        {"role": "system", "content": "Be brief."},
        {"role": "user", "content": "Grüß wen?"},
    ]


def test_an_emoji_that_arrives_in_halves_is_put_together_and_a_half_left_out(peer: ChatPeer) -> None:
    pieces = (delta("a \ud83d"), delta("\ude00 b\ude00"), delta(" c\ud83d"), delta(finish="stop"), DONE)
    peer.replies = [Reply(pieces)]
    assert "".join(ask()) == "a 😀 b c"


def test_nothing_but_a_line_feed_ends_a_line_of_the_stream(peer: ChatPeer) -> None:
    """JSON may hold what Unicode calls a line's end as it is, and letters may be cut in the middle."""
    text = "a\u2028b\u0085c\u2029ü"
    event = delta("@").replace(b"@", text.encode()).replace(b"\n", b"\r\n")
    peer.replies = [Reply((event[:-9], event[-9:], DONE))]
    assert "".join(ask()) == text


def test_whoever_reads_can_stop_while_the_model_only_thinks(peer: ChatPeer) -> None:
    peer.replies = [Reply((*(delta("") for _ in range(3)), NEVER, delta("late"), DONE))]
    stream = get_llm().stream(PROMPT)
    assert next(stream) == ""
    del stream
    assert not peer.left_alone.is_set(), "before the model says its next word"


def test_a_piece_is_passed_on_before_the_next_is_written(peer: ChatPeer) -> None:
    passed_on = threading.Event()
    peer.replies = [Reply((delta("one"), passed_on, delta("two", finish="stop"), DONE))]
    stream = get_llm().stream(PROMPT)
    assert next(stream) == "one"
    passed_on.set()
    assert list(stream) == ["two"]


def test_pieces_that_come_together_are_passed_on_together(peer: ChatPeer) -> None:
    thoughts = delta(None, reasoning="Hm.") + delta(None, reasoning=" So.")
    peer.replies = [Reply((thoughts + delta("one") + delta(" two") + b"data: 7\n\n",))]
    pieces, _ = _read_then_fail(peer)
    assert pieces == ["", "one two"]
    assert isinstance(pieces[0], ReasoningPiece) and pieces[0].reasoning == "Hm. So."


@pytest.mark.parametrize(
    "steps",
    [
        (delta("all", finish="stop"), NEVER),  # finished, but the connection stays open
        (delta("all"), DONE, NEVER),
        (delta("all"),),
        (b'data: {"choices": []}\n\n', delta("all"), delta(finish="stop"), delta("more"), DONE),
        (delta(None, reasoning_content="Hm.", reasoning="Hm."), delta("all"), DONE),
        (b": still thinking\n\n", b"event: ping\ndata: {}\n\n", delta("all"), DONE),
    ],
    ids=["finish_reason", "[DONE]", "end of stream", "no choice", "reasoning", "other events"],
)
def test_an_answer_ends_where_the_server_says_so(peer: ChatPeer, steps: tuple[bytes | threading.Event, ...]) -> None:
    peer.replies = [Reply(steps)]
    assert ask() == ["all"]
    assert not peer.left_alone.is_set()


@pytest.mark.parametrize(
    ("status", "error", "words"),
    [
        (400, errors.ModelRefused, "too long"),
        (401, errors.ModelRefused, "key"),
        (403, errors.ModelRefused, "not allow"),
        (404, errors.ModelUnknown, "does not exist"),
        (418, errors.ModelRefused, "could not take"),
        (429, errors.ModelRateLimited, "busy"),
        (408, errors.ModelTimeout, "too long"),
    ],
)
def test_a_refusal_is_told_in_plain_words_and_not_repeated(
    peer: ChatPeer, status: int, error: type[Exception], words: str
) -> None:
    peer.replies = [refusal(status, f"Incorrect key {KEY} for {peer.url}")]
    with pytest.raises(error, match=words) as caught:
        ask()
    assert type(caught.value) is error
    assert len(peer.asked) == 1
    assert KEY not in str(caught.value)
    assert "127.0.0.1" not in str(caught.value)


@pytest.mark.parametrize("trouble", [HANG_UP, refusal(500), refusal(503)], ids=["hangs up", "500", "503"])
def test_a_stumbling_server_is_asked_again(peer: ChatPeer, trouble: Reply) -> None:
    peer.replies = [trouble, trouble, Reply((delta("at last"), DONE))]
    assert ask() == ["at last"]
    assert len(peer.asked) == 3


def test_a_server_that_stays_down_is_given_up(peer: ChatPeer) -> None:
    peer.replies = [refusal(500)] * 3
    with pytest.raises(errors.ModelUnavailable, match="problem of its own"):
        ask()
    assert len(peer.asked) == 3


def test_a_server_that_is_not_there(peer: ChatPeer, settings: Settings) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
    settings.LECTERN_LLM_BASE_URL = f"http://user:{KEY}@127.0.0.1:{port}/v1"
    with pytest.raises(errors.ModelUnavailable, match="cannot be reached") as caught:
        ask()
    assert KEY not in str(caught.value)


def test_silence_before_the_first_word(peer: ChatPeer, settings: Settings) -> None:
    settings.LECTERN_LLM_TIMEOUT = 0.5
    peer.replies = [Reply((NEVER, delta("late")))]
    with pytest.raises(errors.ModelTimeout, match="took too long"):
        ask()
    assert not peer.left_alone.is_set()
    assert len(peer.asked) == 1


def _read_then_fail(peer: ChatPeer) -> tuple[list[str], errors.EngineError]:
    pieces = []
    with pytest.raises(errors.EngineError) as caught:
        for piece in get_llm().stream(PROMPT):
            pieces.append(piece)
    assert len(peer.asked) == 1, "what was written must not be written twice"
    return pieces, caught.value


@pytest.mark.parametrize(
    ("steps", "ends", "error"),
    [
        ((delta("half"), NEVER), True, errors.ModelTimeout),
        ((delta("half"),), False, errors.ModelUnavailable),
        ((delta("half"), b"data: {\xff\xfe garbage\n\n"), True, errors.ModelUnavailable),
        ((delta("half"), b'data: {"choices": [7]}\n\n'), True, errors.ModelUnavailable),
        (
            (delta("half"), b'data: {"error": {"message": "out of memory"}}\n\n'),
            True,
            errors.ModelUnavailable,
        ),
    ],
    ids=["silence", "cut", "garbage", "odd JSON", "error event"],
)
def test_trouble_in_the_middle_keeps_what_was_written(
    peer: ChatPeer,
    settings: Settings,
    steps: tuple[bytes | threading.Event, ...],
    ends: bool,
    error: type[Exception],
) -> None:
    settings.LECTERN_LLM_TIMEOUT = 1
    peer.replies = [Reply(steps, ends=ends)]
    pieces, problem = _read_then_fail(peer)
    assert "".join(pieces) == "half"
    assert type(problem) is error


def test_what_came_before_the_connection_was_lost_is_not_lost(peer: ChatPeer) -> None:
    peer.replies = [Reply((delta("one"), 0.01, delta(" two"), delta(finish="stop"), DONE), ends=False)]
    assert "".join(ask()) == "one two"
    peer.asked.clear()
    peer.replies = [Reply((delta("one"), 0.01, delta(" two")), ends=False)]
    pieces, problem = _read_then_fail(peer)
    assert "".join(pieces) == "one two"
    assert type(problem) is errors.ModelUnavailable


@pytest.mark.parametrize(
    ("reply", "error"),
    [
        (Reply((delta("", finish="stop"), DONE)), errors.ModelSilent),
        (Reply((delta(" \n"), delta(finish="stop"), DONE)), errors.ModelSilent),
        (Reply((b"<html>Please sign in</html>",), content_type="text/html"), errors.ModelUnavailable),
        (Reply((b'{"choices": [{"message": {"content": "not streamed"}}]}',)), errors.ModelUnavailable),
        (Reply((bytes(range(256)),)), errors.ModelUnavailable),
        (Reply(), errors.ModelUnavailable),
    ],
    ids=["empty", "blank", "web page", "not streamed", "bytes", "nothing"],
)
def test_no_answer_is_an_error(peer: ChatPeer, reply: Reply, error: type[Exception]) -> None:
    peer.replies = [reply]
    assert type(_read_then_fail(peer)[1]) is error


@pytest.mark.parametrize(
    ("steps", "reason"),
    [
        ((delta("all", finish="stop"),), "stop"),
        ((delta("all", finish="length"), DONE), "length"),
        ((delta("all", finish="content_filter"), DONE), "content_filter"),
        ((delta("all", finish="eos"), DONE), "stop"),
        ((delta("all"), DONE), "stop"),
        ((delta("all"),), "incomplete"),
    ],
    ids=["stop", "length", "content_filter", "unknown", "[DONE]", "end of stream"],
)
def test_why_an_answer_ended_is_returned(peer: ChatPeer, steps: tuple[bytes, ...], reason: str) -> None:
    peer.replies = [Reply(steps)]
    stream = OpenAICompatible().stream(PROMPT)

    def end() -> Generator[str, None, None]:
        ends.append((yield from stream))

    ends: list[str] = []
    list(end())
    assert ends == [reason]


def test_an_answer_that_is_cut_off_at_its_limit_says_so(peer: ChatPeer) -> None:
    peer.replies = [Reply((delta("It goes"), delta(finish="length"), DONE))]
    assert "".join(ask()) == "It goes…"


def test_a_model_that_thought_up_all_its_room_is_told_apart(peer: ChatPeer) -> None:
    peer.replies = [Reply((delta("", reasoning="Hm. " * 50), delta(finish="length"), DONE))]
    with pytest.raises(errors.ModelSilent, match="LECTERN_LLM_ANSWER"):
        ask()


def test_the_limit_of_an_answer_is_sent_by_the_name_that_the_server_knows(peer: ChatPeer, settings: Settings) -> None:
    settings.LECTERN_LLM_ANSWER = 700
    refused = refusal(400, "Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens' instead.")
    answers = [Reply((delta("yes"), DONE)) for _ in range(3)]
    peer.replies = [answers[0], refused, answers[1], answers[2]]
    llm = OpenAICompatible()
    assert [list(filter(None, llm.stream(PROMPT))) for _ in range(3)] == [["yes"]] * 3
    limits = [{key: n for key, n in body.items() if "token" in key} for _, _, body in peer.asked]
    assert limits == [{"max_tokens": 700}] * 2 + [{"max_completion_tokens": 700}] * 2


def test_a_server_that_takes_no_limit_is_sent_none(peer: ChatPeer) -> None:
    peer.replies = [
        refusal(422, "Extra inputs are not permitted: max_tokens"),
        refusal(400, "Unrecognized request argument supplied: max_completion_tokens"),
        Reply((delta("yes"), DONE)),
    ]
    assert [piece for piece in OpenAICompatible().stream(PROMPT) if piece] == ["yes"]
    assert not any("token" in key for key in peer.asked[-1][2])


def test_a_reply_of_few_characters_is_not_given_more_tokens(peer: ChatPeer, settings: Settings) -> None:
    settings.LECTERN_LLM_ANSWER = 700
    said, thought = delta("yes"), delta(None, reasoning_content="Hm.")
    peer.replies = [Reply(steps) for steps in ((said, DONE), (said, DONE), (thought, said, DONE), (said, DONE))]
    llm = OpenAICompatible()
    assert [read_reply(llm, PROMPT, most) for most in (100, 1000, 100, 100)] == ["yes"] * 4
    # A model that reasons needs room for it, too.
    assert [body["max_tokens"] for _, _, body in peer.asked] == [100, 700, 100, 700]


def test_a_temperature_is_sent_unless_the_server_takes_none(peer: ChatPeer, settings: Settings) -> None:
    settings.LECTERN_LLM_TEMPERATURE = 0.2
    answers = [Reply((delta("yes"), DONE)) for _ in range(4)]
    refused = refusal(400, "Unsupported value: 'temperature' does not support 0.3 with this model.")
    peer.replies = [answers[0], answers[1], refused, answers[2], answers[3]]
    llm, warm = OpenAICompatible(), replace(PROMPT, temperature=0.3)
    assert [list(filter(None, llm.stream(one))) for one in (PROMPT, warm, warm, warm)] == [["yes"]] * 4
    assert [body.get("temperature") for _, _, body in peer.asked] == [0.2, 0.3, 0.3, None, None]
    assert [body["max_tokens"] for _, _, body in peer.asked] == [2048] * 5


def test_one_connection_serves_one_answer_after_another(peer: ChatPeer) -> None:
    peer.keeps_connections = True
    usage = b'data: {"choices": [], "usage": {"total_tokens": 9}}\n\n'
    peer.replies = [Reply((delta("yes", finish="stop"), usage, DONE)) for _ in range(3)]
    assert [ask() for _ in range(3)] == [["yes"]] * 3
    assert len(peer.clients) == 1


def test_a_token_may_take_less_long_than_the_first_and_signs_of_life_do_not_count(
    peer: ChatPeer, settings: Settings
) -> None:
    settings.LECTERN_LLM_TOKEN_TIMEOUT = 0.5
    peer.replies = [Reply((0.7, delta("half"), *((b": alive\n\n", 0.1) * 50), delta("late"), DONE))]
    pieces, problem = _read_then_fail(peer)
    assert "".join(pieces) == "half"
    assert type(problem) is errors.ModelTimeout and "fell silent" in str(problem)


def test_closing_the_answer_hangs_up(peer: ChatPeer) -> None:
    peer.replies = [Reply((delta("on and on"), 0.02) * 500)]
    stream = OpenAICompatible().stream(PROMPT)
    assert next(stream) == "on and on"
    stream.close()
    assert peer.left_alone.wait(5)


def test_two_answers_at_once_do_not_mix(peer: ChatPeer) -> None:
    peer.replies = [Reply((delta(letter), 0.01) * 20 + (DONE,)) for letter in "ab"]
    answers: list[str] = []

    def collect() -> None:
        answers.append("".join(ask()))

    _together(collect, collect)
    assert sorted(answers) == ["a" * 20, "b" * 20]


def test_one_answerer_a_process_until_the_settings_change(peer: ChatPeer, settings: Settings) -> None:
    first = get_llm()
    assert get_llm() is first
    settings.LECTERN_LLM_MODEL = "another-model"
    assert get_llm().name == "another-model"


def _together(*jobs: Callable[[], None]) -> None:
    threads = [threading.Thread(target=job) for job in jobs]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

from plugins import Plugin


class EvaluationConfig(Plugin):
    name = "evaluation"
    verbose_name = "Test questions"
    urls = {"": "evaluation.urls"}
    fragments = ["answer_menu", "chat_menu", "chatbot_menu", "chatbot_saved"]

    def ready(self) -> None:
        from corpus.signals import document_merged
        from evaluation.test_questions import move_expectations

        document_merged.connect(move_expectations, dispatch_uid="evaluation")

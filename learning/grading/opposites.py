"""Words that contradict each other, and words that mean nearly the same, for the four languages."""

from __future__ import annotations

from functools import cache

from text.languages import configuration_of
from text.stemming import stem

_OPPOSITES = {
    "en": """
        more higher bigger larger greater longer rise increase up | less lower smaller shorter fall decrease reduce down
        raise grew | lower shrank
        expand grow gain | contract shrink lose drop fewer
        hot warm heat hotter warmer | cold cool cool colder cooler
        same equal equals alike unchanged identical | different differ other changes unequal
        fast faster quick quickly quicker fastest | slow slower slowly slowest
        strong stronger hard powerful | weak weaker weakly soft
        heavy heavier | light lighter
        outside outer outwards outdoors | inside inner inwards indoors
        in into enter | out leave exit
        well good better easily | badly bad poorly worse rubbish hardly
        allowed allow permitted legal | banned forbidden forbid illegal ban prohibited
        clean cleaner pure | dirty dirtier polluted
        wet moist damp rain rainy | dry dried
        dear expensive dearer costly | cheap cheaper cheaply
        above over top upper | below under underneath bottom lower
        before earlier first | after later last afterwards
        always all every everything both | never none nothing neither
        begin start starts starting | stop stops end ends finish still
        give gives gave away emit release | take takes took absorb receive
        push pushes repel repels | pull pulls attract attracts
        open opened opens | closed close shut closes
        downhill | uphill
        tight tighter tighten | loose looser slack
        positive | negative
        full filled | empty
        scarce rare few | plenty common many
        dense denser | thin
        north northern | south southern
        east eastern | west western
        left | right
        parallel | series
        full whole complete completely | partial partly
        buy buys | sell sells
        rich | poor
        long | short
        near close | far distant
        old older | new newer young
        win wins won | lose lost
        single one | several many
        solid freeze freezes | liquid melt melts
        day | night
        summer | winter
        double twice | half halve
        living alive | dead
        rough | smooth
        bright | dark
        safe | dangerous
        add adds | subtract minus remove
        loud louder | quiet quieter
        even | odd
        true | false
        increasing growing rising | decreasing shrinking falling
        accelerate accelerates | brake decelerate decelerates
        appear appears arrive arrives come comes | disappear vanish leave leaves
        accept accepted agree agreed | refuse refused reject rejected disagree
        possible able | impossible unable
        necessary needed | unnecessary useless
        useful helpful | harmful
        attack attacks | defend defends
        friend ally | enemy
        peace | war
        build builds built create creates | destroy destroys destroyed
        remember | forget
        love loves | hate hates
        wide wider broad | narrow narrower
        deep deeper | shallow
        thick thicker | thin thinner
        sour acid acidic | alkaline basic
        male | female
        import imports | export exports
        supply | demand
        cause causes | effect result
        evaporate evaporates boil boils | condense condenses
        expensive | cheap
        common often usually | rare seldom rarely
        healthy well | ill sick
        host | guest parasite
        predator | prey
        prevent prevents hinder stops | allow allows enable lets
        input | output
        root | leaf
        maximum most | minimum least
        visible | invisible
        natural | artificial
        vertical | horizontal
        forward forwards ahead | backward backwards back
        towards | away
        arrive enter entering | leave leaving depart
        join joins unite united together | separate separates split divide apart
        keep keeps hold holds held | release releases drop let
        protect protects save | destroy endanger harm
        freedom free | slavery slave prison captive
        lend lends | borrow borrows
        teach teaches | learn learns
        send sends | receive receives get
        question ask | answer reply
        parent parents mother father | child children offspring
        king ruler master | subject servant
        majority | minority
        oxygen | carbon
        success succeed | failure fail fails
        victory | defeat
        profit | loss
        income earn | spending spend
        export | import
        high | low
        liquid | gas
        float floats | sink sinks
        swell swells | shrink shrinks
        sunrise | sunset
        spring | autumn
        ancient | modern
        permanent | temporary
        direct | indirect
        active | passive
        simple easy | complex difficult complicated
        sharp | blunt
        lit light burning on | unlit off extinguished
        present | absent
        know known | unknown
        reactive | unreactive inert
        stable | unstable
        constant | varying
        conductor conduct conducts | insulator insulate insulates
        reflect reflects | absorb absorbs
        melt melts thaw | freeze freezes
        oxidise oxidised oxidation | reduce reduced reduction
        sweet | bitter
        sow plant | harvest reap
        upstream | downstream
        gains | loses
        rises | falls
        grows | shrinks
        increases | decreases
        """,
    "de": """
        mehr höher größer steigt steigen wächst zunimmt länger | weniger niedriger kleiner sinkt sinken abnimmt kürzer
        heiß warm wärmer heißer | kalt kühl kälter kühler
        gleich gleiche dieselbe unverändert | anders verschieden andere unterschiedlich
        schnell schneller | langsam langsamer
        stark stärker | schwach schwächer
        schwer schwerer | leicht leichter
        außen draußen hinaus | innen drinnen hinein
        gut besser | schlecht schlechter
        vor vorher zuerst früher | nach nachher zuletzt später
        immer alle jeder beide | nie niemals keine keiner nichts
        gibt geben abgibt | nimmt nehmen entzieht aufnimmt
        oben über | unten unter
        weiter leuchtet brennt an | aus erlischt dunkel
        offen öffnet | geschlossen schließt zu
        lang | kurz
        hell | dunkel
        voll | leer
        teuer teurer | billig billiger
        nass feucht | trocken
        positiv | negativ
        erlaubt | verboten
        links | rechts
        sauer | basisch
        bindet verbindet | trennt spaltet
        löst schmilzt | gefriert erstarrt
        verdampft verdunstet | kondensiert
        kommt beginnt | geht endet
        baut schafft | zerstört
        nützlich | schädlich
        breit breiter | schmal schmaler
        tief tiefer | hoch flach
        dick | dünn
        reich | arm
        jung neu | alt
        krieg | frieden
        ursache | folge wirkung
        tag | nacht
        sommer | winter
        kleinste wenigste | größte meiste
        sichtbar | unsichtbar
        möglich | unmöglich
        """,
    "fr": """
        plus augmente grandit monte supérieur haut | moins diminue baisse descend inférieur bas
        chaud chaude | froid froide
        même égal pareil identique | différent autre change
        rapide vite | lent lentement
        fort forte | faible
        lourd | léger
        avant | après
        toujours tous toutes | jamais aucun rien
        donne donner | prend prendre
        plein pleine pleines pleins | vide vides
        riche | pauvre
        dessus | dessous
        extérieur dehors | intérieur dedans
        ouvert | fermé
        long longue | court courte
        bien | mal
        cher chère | bon
        positif | négatif
        interdit | permis autorisé
        gauche | droite
        acide | basique
        gagne gagner | perd perdre
        construit crée | détruit
        accepte | refuse
        large | étroit
        profond | superficiel
        jeune neuf nouveau | vieux ancien
        guerre | paix
        jour | nuit
        été | hiver
        commence début | finit fin
        entre | sort
        utile | nuisible
        possible | impossible
        vrai | faux
        premier | dernier
        maximum | minimum
        """,
    "es": """
        más aumenta crece sube mayor alto | menos disminuye baja menor bajo
        caliente cálido | frío fría
        mismo igual idéntico | distinto diferente otro cambia
        rápido | lento despacio
        fuerte | débil
        pesado | ligero
        antes | después
        siempre todos todas | nunca ninguno nada
        da dar | toma tomar quita
        lleno llena | vacío vacía
        rico | pobre
        encima arriba | debajo abajo
        fuera exterior | dentro interior
        abierto | cerrado
        largo | corto
        bien | mal
        caro | barato
        positivo | negativo
        prohibido | permitido
        izquierda | derecha
        ácido | básico
        gana | pierde
        construye crea | destruye
        acepta | rechaza
        ancho | estrecho
        profundo | superficial
        joven nuevo | viejo antiguo
        guerra | paz
        día | noche
        verano | invierno
        empieza comienza principio | termina acaba fin
        entra | sale
        útil | dañino
        posible | imposible
        verdadero | falso
        primero | último
        máximo | mínimo
        norte | sur
        """,
}

_NEGATIONS = {
    "en": "not no never none nothing neither nor without cannot isnt arent dont doesnt didnt wont cant wasnt werent "
    "couldnt wouldnt shouldnt hasnt havent nobody",
    "de": "nicht kein keine keinen keinem keiner nie niemals nichts ohne weder",
    "fr": "pas aucun aucune jamais rien ni sans",
    "es": "no ni nunca ninguno ninguna nada sin jamás tampoco",
}
_RELATIONS = {
    "en": "same more less most up down off out over under above below before after both own each in",
    "de": "auf aus ab vor nach über unter mehr andere",
    "fr": "plus même avant après tout",
    "es": "más antes después todo menos mismo otro",
}
_NEGATING = {
    "en": "un in im ir il dis non mis anti",
    "de": "un miss nicht anti",
    "fr": "in im ir il dé dés mal anti non",
    "es": "in im ir des anti",
}
_CONTRARY = {
    "en": "up/down in/out out/in inner/outer over/under exo/endo hyper/hypo inter/intra pre/post as/des ad/sub "
    "ex/im ex/in con/dis macro/micro multi/single wind/lee clock/counterclock mon/di pro/anti sub/super af/ef in/ex",
    "de": "ein/aus auf/ab zu/ab an/ab an/aus ober/unter innen/außen vor/nach hin/her über/unter herein/hinaus",
    "fr": "sur/sous inter/intra pré/post ex/im hyper/hypo exo/endo macro/micro ac/dé ant/post",
    "es": "sobre/sub inter/intra pre/post ex/im hiper/hipo exo/endo macro/micro a/de",
}
_SHORTEST = 3  # letters behind a negating prefix


def negations(language: str) -> frozenset[str]:
    """Return the words that negate, written without apostrophes."""
    return frozenset(_NEGATIONS.get(language[:2], "").split())


def relation_words(language: str) -> frozenset[str]:
    """Return the function words that carry the meaning of an answer, such as more or before."""
    return frozenset(_RELATIONS.get(language[:2], "").split())


@cache
def sides(language: str) -> dict[str, frozenset[tuple[int, int]]]:
    """Return for each stem in the lists of opposites its (number of the pair, side 0 or 1)."""
    found: dict[str, set[tuple[int, int]]] = {}
    for number, (first, second) in enumerate(_pairs(language)):
        for side, words in enumerate((first, second)):
            for word in words.split():
                found.setdefault(stem(word, configuration_of(language)), set()).add((number, side))
    return {word: frozenset(places) for word, places in found.items()}


def are_opposite(one: str, other: str, language: str) -> bool:
    """Whether two stems contradict each other, by the lists or by their prefixes."""
    table = sides(language)
    if any((number, 1 - side) in table.get(other, ()) for number, side in table.get(one, ())):
        return True
    return _by_prefix(one, other, language[:2]) or _by_prefix(other, one, language[:2])


@cache
def _by_prefix(one: str, other: str, language: str) -> bool:
    """Whether a word is another one with a negating prefix (unlike), or both have contrary ones (inside, outside)."""
    for prefix in _NEGATING.get(language, "").split():
        if one == prefix + other and len(other) >= _SHORTEST:
            return True
    pairs = (pair.split("/") for pair in _CONTRARY.get(language, "").split())
    return any(
        one.startswith(first) and other == second + one.removeprefix(first) and len(one) >= len(first) + 2
        for first, second in pairs
    )


def are_alike(one: str, other: str, language: str) -> bool:
    """Whether two stems stand on the same side of a pair of opposites."""
    return bool(sides(language).get(one, frozenset()) & sides(language).get(other, frozenset()))


def _pairs(language: str) -> list[tuple[str, str]]:
    lines = _OPPOSITES.get(language[:2], "").strip().splitlines()
    return [(first, second) for first, _, second in (line.partition("|") for line in lines)]

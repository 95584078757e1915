"""What the patterns of `patterns` are made of: words and forms of English, German, French and Spanish.

Words of a group are separated by "|". `..._forms`, `defines`, `calls`, `before_term`, `meaning`, `vague`, `generic`,
`article` and `because` are regular expressions. Opposites are pairs, with "_" for a space.
"""

TABLES: dict[str, dict[str, str]] = {
    "en": {
        "negation": "no|not|never|none|without|cannot|neither|nor|n't",
        "leans": (
            "this|that|these|those|it|its|they|their|them|he|his|she|her|such|both|either|neither|however|"
            "therefore|thus|hence|then|also|but|and|so|or|yet|still|instead|otherwise|moreover|furthermore|"
            "besides|nevertheless|similarly|likewise|conversely|consequently|accordingly|for example|for "
            "instance|in other words|in this|in that|in these|in such|in addition|in contrast|in fact|in "
            "short|in general|in turn|on the other hand|on the contrary|as a result|as such|as before|as you|"
            "as we|as shown|as mentioned|as noted|again|another|other|others|the other|the same|the latter|"
            "the former|the first|the second|the third|the last|the next|first|second|third|finally|next|"
            "here|there|now|note|notice|recall|remember|consider|suppose|imagine|assume|let|because of this|"
            "for this|to do this|by this|at this|under this|with this|using this|when this|if this|when it|"
            "if it|when they|if they|since it|since they|because it|because they|although it|one of|some of|"
            "many of|most of|all of|each of|none of|one|some|several|no|not all|an example|examples|more|"
            "part of|any of|like|even|just|only|together|overall|indeed|specifically|particularly|originally|"
            "today|once|to|given|unlike|rather|well|yes|what|why|how|which|who|where|are|is|do|does|can|did|"
            "will|would|should|could|have|has"
        ),
        "points": (
            "figure|fig.|figures|table|tables|the equation|following equation|the diagram|the graph|above|"
            "below|following|previous|previously|preceding|earlier|aforementioned|aforesaid|see|chapter|"
            "section|lesson|module|textbook|page|the video|the simulation|the animation|the photograph|the "
            "photo|the picture|the image|photo|the illustration|the example|for example|the exercise|the "
            "problem|the solution|the answer|in the text|students|student|teacher|we|us|our|ours|you|your|"
            "yours|i|my|let's|shown|this|these|those|such a|such an|here|the two|the three|the latter|the "
            "former|the other|same way|in turn|mentioned|discussed|covered|click|today|recently|currently|"
            "last year|next|also|therefore|thus|hence|however|then|instead|otherwise|again|as well|meanwhile|"
            "likewise|similarly|elsewhere|most recent|recent|as of|so far|nowadays|now|at present"
        ),
        "points_forms": (
            r"such(?! as\b)|(?:do|does|did) (?:it|so)|(?:is|are|was|were|becomes?) (?:much |even |slightly "
            r")?(?:higher|lower|greater|smaller|larger|faster|slower|better|worse|stronger|weaker|heavier|"
            r"lighter)(?=[.,])"
        ),
        "verbs": (
            "is|are|was|were|has|have|had|can|may|must|will|would|could|should|does|do|did|means|refers|"
            "occurs|happens|depends|describes|states|causes|contains|consists|includes|involves|requires|"
            "makes|gives|takes|becomes|remains|moves|acts|exerts|increases|decreases|changes|equals|measures|"
            "produces|uses|shows|allows|keeps|points|flows|exists|forms|follows|began|became|made|gave|took|"
            "led|wrote|won|found|occur|happen|depend|describe|cause|contain|consist|include|involve|require|"
            "make|give|take|become|remain|move|act|exert|increase|decrease|change|equal|produce|use|allow|"
            "flow|exist|form|follow|tend|obey|carry|lose|gain|need|live|grow|fall|rise|opposes|tends|obeys|"
            "carries|loses|gains|needs|lives|grows|falls|rises|travels|travel|converts|relates|forces"
        ),
        "verb_forms": (
            r"[a-z]{3,}ed(?=\s)|[a-z]{3,}[^su\W]s(?=\s(?:the|an?|to|on|in|by|with|from|at|as|that|when|its)\s)"
        ),
        "defines": (
            "(?:is|are) (?:defined as|the name (?:of|for|given to)|the term for)|refers? to|means?|denotes?|is|are"
        ),
        "calls": "(?:is|are) (?:called|known as|termed|referred to as)(?: an?| the)?",
        "before_term": "[Aa]n?|[Tt]he",
        "meaning": (
            "an?|the|any|how|what|anything|something|everything|(?:[a-z]+ )?[a-z]+(?:tion|sion|ment|ness|ity|"
            "fer|ance|ence|ship|ism|gy)(?= (?:of|by|through|over|about|in|that|between|from|into|to) )"
        ),
        "vague": (
            r"the same|the opposite|an? (?:good|key|very|common|simple|useful|special|similar|bit|part|great|"
            r"major|complex|complicated|large|highly|powerful|popular|famous|well-known|leading|possible|name "
            r"(?:given|for)|big|real|fundamental|basic|central|different|familiar|type|kind|form)(?! of)|the "
            r"(?:\w+ )?(?:foundation|basis|heart|core|root|subject|study of the|opposite|reverse|same)|an? "
            r"(?:\w+ )?(?:example|topic|subject|reason|concept|idea|word|way|lot|number|question|problem|"
            r"result|consequence|one)|an important|one of|the (?:\w+ )?(?:topic|subject|reason|case|only|main|"
            r"most|best|first|second|third|last|key|result|one|answer)"
        ),
        "generic": (
            "(?:most|similar|primary|unique|main|other|new|normally|usually|result|reason|difference|"
            "individual|aim|goal|purpose|following|first|second|third|last|next|only|key|major)"
        ),
        "article": r"(?:an?|the)\s+",
        "because": "because(?! of)",
        "hedge": (
            "can|may|might|could|some|sometimes|often|or|either|neither|both|unless|not|no|never|if|possible|"
            "possibly|even|whether|but|although|though|while|whereas|usually|generally|typically|many|most"
        ),
        "steps": ("steps|step|stages|stage|procedure|process|order|sequence|how to|phases|cycle|instructions|method"),
        "step_words": (
            r"firstly|first|secondly|second|thirdly|third|then|next|after that|afterwards|finally|lastly|step "
            r"\d"
        ),
        "opposites": (
            "increases/decreases greater/smaller larger/smaller higher/lower faster/slower positive/negative "
            "maximum/minimum attract/repel attracts/repels absorbs/releases gains/loses expands/contracts "
            "increasing/decreasing horizontal/vertical parallel/perpendicular directly/inversely "
            "constant/variable internal/external upward/downward same_direction/opposite_direction"
        ),
    },
    "de": {
        "points_forms": (
            "(?:ist|sind|wird) (?:viel |noch |etwas )?(?:höher|niedriger|größer|kleiner|schneller|stärker)(?=[.,])"
        ),
        "negation": "nicht|kein|keine|keinen|keiner|keinem|nie|niemals|ohne|weder",
        "leans": (
            "dies|diese|dieser|dieses|diesen|diesem|er|sie|es|ihr|ihre|sein|seine|ihm|ihnen|solche|solcher|"
            "solches|beide|jedoch|deshalb|daher|darum|dabei|dadurch|damit|dafür|daraus|dann|also|aber|und|"
            "oder|außerdem|zudem|ferner|allerdings|hier|dort|so|somit|folglich|zum beispiel|beispielsweise|"
            "das ist|das sind|das heißt|das wird|das war|das kann|das liegt|das geschieht|erstens|zweitens|"
            "schließlich|zuerst|danach|anschließend|nun|auch|ein anderer|eine andere|ein weiterer|eine "
            "weitere|im gegensatz|beachte|wenn er|wenn sie|wenn es|weil|denn|welche|wie|was|warum|wo|wer|bei "
            "diesem|bei dieser|in diesem|in dieser|manche|einige"
        ),
        "points": (
            "abbildung|abb.|tabelle|gleichung|diagramm|oben|unten|folgende|folgenden|folgender|vorige|"
            "vorherige|siehe|im kapitel|im abschnitt|lektion|auf seite|im bild|das bild|zum beispiel|"
            "beispielsweise|das beispiel|im beispiel|die aufgabe|diese aufgabe|übung|wir|uns|unser|unsere|du|"
            "dein|deine|ihr|euch|ich|mein|dies|diese|dieser|dieses|diesen|diesem|genannte|genannten|letztere|"
            "heute|schüler|daher|deshalb|also|jedoch|somit|ebenfalls|auch"
        ),
        "verbs": (
            "ist|sind|war|waren|wird|werden|wurde|wurden|hat|haben|hatte|kann|können|muss|müssen|soll|sollen|"
            "heißt|heißen|bedeutet|bezeichnet|besteht|bestehen|entsteht|entstehen|gibt|liegt|wirkt|wirken|"
            "nimmt|nennt|versteht|enthält|enthalten|gehört|gehören|bewegt|beträgt|findet|führt|macht|bildet|"
            "bilden|steigt|sinkt|geht|kommt"
        ),
        "verb_forms": "[a-zäöüß]{3,}iert|[a-zäöüß]{4,}te",
        "defines": "ist|sind|bezeichnet(?: man)?|bedeutet|versteht man",
        "calls": "heißt|heißen|nennt man|bezeichnet man als",
        "before_term": "Unter(?: de[mrn]| einem| einer)?|Als|[Dd](?:er|ie|as)|[Ee]ine?",
        "meaning": "eine?[rnms]?|de[rmns]|die|das|jede[rsn]?|alle|alles|wie|wenn",
        "vague": (
            r"derselbe|dieselbe|dasselbe|das gleiche|ein(?:e[rsn]?)? (?:gut|wichtig|häufig|einfach|besonder|"
            r"typisch)\w*|ein beispiel|eine[rs]? der|der grund"
        ),
        "article": r"(?:eine?[mnrs]?|de[mnrs]|die|das)\s+",
        "because": "weil|da",
        "hedge": (
            "kann|können|mag|manche|manchmal|oft|oder|weder|sowohl|nicht|kein|keine|wenn|falls|auch|meist|"
            "meistens|aber|obwohl|während|viele"
        ),
        "steps": ("schritte|schritt|schritten|ablauf|reihenfolge|phasen|stufen|stadien|anleitung|vorgehen|verfahren"),
        "step_words": ("zuerst|zunächst|erstens|zweitens|drittens|dann|danach|anschließend|schließlich|zuletzt|nun"),
        "opposites": (
            "steigt/sinkt größer/kleiner höher/niedriger schneller/langsamer positiv/negativ "
            "positive/negative maximal/minimal wärmer/kälter zunimmt/abnimmt innere/äußere inneren/äußeren "
            "waagerecht/senkrecht"
        ),
    },
    "fr": {
        "points_forms": r"(?:est|sont) (?:plus|moins) \w+(?=[.,])",
        "negation": "pas|aucun|aucune|jamais|sans|ni|non",
        "leans": (
            "ce|cet|cette|ces|cela|ceci|celui-ci|celle-ci|il|elle|ils|elles|son|sa|ses|leur|leurs|cependant|"
            "toutefois|donc|ainsi|alors|puis|ensuite|enfin|aussi|mais|et|ou|or|car|par exemple|en effet|de "
            "plus|en outre|par conséquent|ici|là|d'abord|premièrement|au contraire|un autre|une autre|"
            "l'autre|les deux|dans ce|dans cette|dans ces|on a vu|quand il|quand elle|s'il|lorsqu'il|qui|que|"
            "quoi|comment|pourquoi|où|certains|certaines|c'est"
        ),
        "points": (
            "figure|tableau|équation|schéma|ci-dessus|ci-dessous|suivant|suivante|suivants|suivantes|"
            "précédent|précédente|voir|chapitre|cette section|leçon|à la page|cette image|l'image|par "
            "exemple|l'exemple|exercice|le problème|nous|notre|nos|vous|votre|vos|tu|ton|ta|tes|je|mon|ma|"
            "mes|ce dernier|cette dernière|élèves|aujourd'hui|donc|ainsi|aussi|également|cependant"
        ),
        "verbs": (
            "est|sont|était|étaient|a|ont|avait|peut|peuvent|doit|doivent|désigne|désignent|signifie|"
            "représente|permet|permettent|contient|contiennent|se compose|dépend|appelle|appelée|appelé|"
            "devient|produit|produisent|transforme|augmente|diminue|exerce|s'exerce|agit|mesure|vaut|fait|"
            "font|forme|forment|reste|varie|existe|provoque|vit|vivent"
        ),
        "verb_forms": r"[a-zéèê]{4,}ent(?=\s(?:le|la|les|un|une|des|du)\s)",
        "defines": "est|sont|désigne|désignent|signifie",
        "calls": "s['’]appelle|s['’]appellent|est appelée?|sont appelée?s|se nomme",
        "before_term": "On appelle|[LlUu](?:a|e|es|n|ne)|",
        "meaning": "une?|l['’]|le|la|les|des|du|ce|tout|toute",
        "vague": (
            "le même|la même|un(?:e)? (?:bon|bonne|exemple|important|importante|simple|autre)|l'un|l'une|la raison"
        ),
        "article": r"(?:(?:une?|les?|la|des|du)\s+|[ldLD]['’])",
        "because": "parce que|car",
        "hedge": ("peut|peuvent|parfois|souvent|ou|ni|pas|aucun|aucune|jamais|si|aussi|mais|généralement|que|certains"),
        "steps": "étapes|étape|procédure|processus|ordre|phases|cycle|méthode",
        "step_words": "premièrement|d'abord|deuxièmement|puis|ensuite|après|enfin|finalement",
        "opposites": (
            "augmente/diminue supérieure/inférieure supérieur/inférieur positive/négative positif/négatif "
            "maximale/minimale attire/repousse horizontale/verticale interne/externe"
        ),
    },
    "es": {
        "points_forms": r"(?:es|son|está|están) (?:mayor|menor|más \w+|menos \w+)(?=[.,])",
        "negation": "no|ningún|ninguna|nunca|jamás|sin|ni",
        "leans": (
            "este|esta|esto|estos|estas|ese|esa|eso|esos|esas|aquel|aquella|él|ella|ellos|ellas|su|sus|sin "
            "embargo|por lo tanto|por tanto|por eso|así|entonces|luego|después|también|además|pero|y|o|por "
            "ejemplo|es decir|aquí|allí|primero|finalmente|en cambio|otro|otra|otros|otras|el otro|la otra|"
            "ambos|ambas|en este|en esta|en estos|es|son|cuando este|qué|cómo|por qué|dónde|quién|algunos|"
            "algunas|tal|tales|lo"
        ),
        "points": (
            "figura|tabla|ecuación|diagrama|arriba|abajo|siguiente|siguientes|anterior|anteriores|véase|ver|"
            "capítulo|esta sección|lección|en la página|la imagen|por ejemplo|el ejemplo|ejercicio|el "
            "problema|nosotros|nuestro|nuestra|usted|tú|tu|tus|yo|mi|este último|esta última|este|esta|estos|"
            "estas|alumnos|hoy|también|por lo tanto|sin embargo|entonces"
        ),
        "verbs": (
            "es|son|era|eran|ha|han|hay|puede|pueden|debe|deben|significa|designa|representa|permite|"
            "permiten|contiene|contienen|consiste|depende|llama|denomina|conoce|produce|producen|transforma|"
            "aumenta|disminuye|ejerce|actúa|mide|vale|hace|hacen|forma|forman|está|están|tiene|tienen|ocurre|"
            "convierte|existe|provoca|vive|viven|fue|fueron"
        ),
        "verb_forms": r"[a-záéíóú]{4,}an(?=\s(?:el|la|los|las|un|una)\s)",
        "defines": "es|son|significa|designa|se refiere a|se define como",
        "calls": "se llama|se llaman|se denominan?|se conoce como",
        "before_term": "[EeLlUu](?:l|a|os|as|n|na)|",
        "meaning": "una?|el|la|los|las|lo|todo|toda",
        "vague": ("el mismo|la misma|una? (?:buen|buena|ejemplo|importante|simple|otro|otra)|uno de|una de|la razón"),
        "article": r"(?:una?|el|la|los|las)\s+",
        "because": "porque|ya que",
        "hedge": ("puede|pueden|a veces|o|ni|no|ningún|ninguna|nunca|si|también|pero|generalmente|que|algunos|algunas"),
        "steps": "pasos|paso|procedimiento|proceso|orden|fases|etapas|ciclo|método",
        "step_words": "primero|en primer lugar|segundo|luego|después|a continuación|finalmente|por último",
        "opposites": (
            "aumenta/disminuye mayor/menor positiva/negativa positivo/negativo máxima/mínima atrae/repele "
            "horizontal/vertical interna/externa"
        ),
    },
}

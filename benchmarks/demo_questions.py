"""Natural questions to the demo's chatbots and what the right passage says: the measure of answer quality.

For each chatbot ten questions; each names the document, approved page or article that answers it, and a phrase of the
passage.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class DemoQuestion:
    text: str
    document: str
    phrase: str


POLICY, PLAN, DATA = "Laboratory safety policy", "Year 9 lesson plan, acids", "Chemistry data sheet"
TEXTBOOK, FORCES = "Physics textbook", "Forces: revision notes"
GUIDE = "Local study guide: the river trade of Kelbourne"
LESSONS, ORAL = "River trade: lesson notes", "Oral history project"
HANDBOOK, RULES = "Hillcrest handbook 2026–27", "Laboratory rules"
COURSE, RATES = "Science course guide", "Rates of reaction: notes for year 10"

QUESTIONS: dict[str, tuple[DemoQuestion, ...]] = {
    "Chemistry 9 helper": (
        DemoQuestion(
            "When do pupils have to wear goggles?",
            POLICY,
            "whenever a liquid other than water is open on the bench",
        ),
        DemoQuestion(
            "How strong may the hydrochloric acid be in my year 9 lesson?",
            PLAN,
            "hydrochloric acid is kept at 0.5 mol/l",
        ),
        DemoQuestion(
            "Do I pour the acid into the water or the water into the acid?",
            PLAN,
            "Acid into water, never water into acid",
        ),
        DemoQuestion("A pupil got something in the eye. How long do we rinse?", POLICY, "for at least 20 minutes"),
        DemoQuestion("What do I do about a small spill of dilute acid?", POLICY, "sprinkle sodium hydrogencarbonate"),
        DemoQuestion("Which groups sit near the eyewash and why?", PLAN, "Callum wears contact lenses"),
        DemoQuestion("What is LS-09 about?", POLICY, "The sash is kept at or below the red mark"),
        DemoQuestion("What colour is phenolphthalein in alkali?", DATA, "| Phenolphthalein | colourless"),
        DemoQuestion(
            "How many grams of sodium hydroxide are in a litre of 0.4 mol/l solution?",
            DATA,
            "| Sodium hydroxide | 0.4 | 16 |",
        ),
        DemoQuestion(
            "How much alkali should the groups need to neutralise 10 ml of acid?",
            PLAN,
            "Expected: 12.5 ml of the alkali",
        ),
    ),
    "Physics tutor": (
        DemoQuestion("What is acceleration?", TEXTBOOK, "Acceleration is the change of velocity in each second"),
        DemoQuestion(
            "Why are the weight of a book and the push of the table not a third-law pair?",
            TEXTBOOK,
            "they are **not** a third-law pair",
        ),
        DemoQuestion("What does a flat line on a velocity–time graph mean?", FORCES, "Flat means constant velocity"),
        DemoQuestion("What is the spring constant of the green springs in S3?", FORCES, "spring constant of 25 N/m"),
        DemoQuestion(
            "How does the braking distance change when the speed doubles?",
            TEXTBOOK,
            "at twice the speed it is four times as long",
        ),
        DemoQuestion("What is the specific heat capacity of copper?", TEXTBOOK, "| Copper | 390 |"),
        DemoQuestion("When is the revision clinic before the test?", FORCES, "Wednesday 18 November 2026"),
        DemoQuestion(
            "How does a vacuum flask keep tea hot?", TEXTBOOK, "the vacuum between its walls stops conduction"
        ),
        DemoQuestion("Why do we earth a metal case?", TEXTBOOK, "If the live wire touches a metal case"),
        DemoQuestion(
            "How do I calculate the wavelength of a radio station?",
            TEXTBOOK,
            "the wavelength is $λ = v / f = 3$ m",
        ),
    ),
    "Local history guide": (
        DemoQuestion("When did the Wend Navigation open?", GUIDE, "opened on 4 May 1726"),
        DemoQuestion("How high did the river rise in the flood?", GUIDE, "the river rose eleven feet"),
        DemoQuestion("How many tons could a Wend lighter carry?", GUIDE, "carried 20 tons in summer"),
        DemoQuestion("Why did Martha Fell refuse sugar?", GUIDE, "sugar grown by enslaved people"),
        DemoQuestion("When is the river walk and where do we meet?", LESSONS, "school gate at 09:55"),
        DemoQuestion("How is the enquiry marked?", LESSONS, "Out of 25"),
        DemoQuestion("What went wrong with the lessons last year?", LESSONS, "Pupils muddled 1726"),
        DemoQuestion("Who was Silas Vance?", ORAL, "was mate on the last malt boat"),
        DemoQuestion("How much were the women in the sail loft paid?", ORAL, "three pence for a yard"),
        DemoQuestion("What is a staithe?", GUIDE, "a landing stage for loading"),
    ),
    "River project": (
        DemoQuestion("When did the Wend Navigation open?", GUIDE, "opened on 4 May 1726"),
        DemoQuestion("When did the railway reach Kelbourne?", GUIDE, "reached Kelbourne on 12 June 1848"),
        DemoQuestion("How much did the company borrow after the flood?", GUIDE, "borrowed £3,200 for repairs"),
        DemoQuestion("How much does a bus pass cost a month?", "Young person’s bus pass", "costs £14.50 a month"),
        DemoQuestion("What is the bus fare for a bicycle?", "Bicycles on buses", "two at a time, for £1"),
        DemoQuestion("What do I do if I fall into cold water?", "Cold water: float to live", "Lean back, spread arms"),
        DemoQuestion("How does an overshot water wheel work?", "Water wheel", "fed from above into buckets"),
        DemoQuestion("What does a kingfisher eat?", "Kingfisher", "small fish such as minnows"),
        DemoQuestion("How does an oxbow lake form?", "Meander", "breaks through in a flood"),
        DemoQuestion("Why did otters return?", "European otter", "poisonous pesticides such as dieldrin were banned"),
    ),
    "Science helper": (
        DemoQuestion("Where do pupils keep their phones?", HANDBOOK, "locks the phone into a Cloudberry wallet"),
        DemoQuestion("How strong may acids be in year 8?", RULES, "at most 0.4 mol/l"),
        DemoQuestion("When do pupils need closed goggles?", RULES, "Closed goggles replace them"),
        DemoQuestion("What is a blue card for?", RULES, "what is used, what could happen, what to do"),
        DemoQuestion("How long is an eye rinsed?", RULES, "rinsed for 15 minutes"),
        DemoQuestion("Which concentrations of acid do we use with magnesium?", RATES, "of 0.5, 1.0 and 1.5 mol/l"),
        DemoQuestion("How hot may the thiosulfate get?", RATES, "never above 50 °C"),
        DemoQuestion("What do pupils with asthma do during the disappearing cross?", RATES, "who have asthma"),
        DemoQuestion("How many required practicals are there in year 10?", COURSE, "There are nine"),
        DemoQuestion("By when do pupils choose separate sciences?", COURSE, "by Friday 12 March 2027"),
    ),
}

UNANSWERABLE = {
    "Chemistry 9 helper": "Who won the football world cup in 1966?",
    "Physics tutor": "How do I bake a sponge cake?",
    "River project": "Who painted the ceiling of the Sistine Chapel?",
    "Local history guide": "What is the capital of Mongolia?",
    "Science helper": "Which wizard lives in the castle of Kelbourne?",
}
"""A question for each chatbot that its documents do not touch: it has to be refused."""

"""Personal data of this app: test questions, which people wrote."""

from evaluation.models import TestQuestion
from privacy.registry import PersonalData, declare

declare(PersonalData(TestQuestion, user="chatbot__owner"))

from django.db import models
from django.db.models import Q
from django.utils import timezone


class DemoLoad(models.Model):
    """The marker row: the schools are the demo's, and whether the demo is complete."""

    id = models.PositiveSmallIntegerField(primary_key=True, default=1, editable=False)
    started_at = models.DateTimeField(default=timezone.now, editable=False)
    finished_at = models.DateTimeField(null=True, blank=True, editable=False)

    class Meta:
        constraints = [models.CheckConstraint(condition=Q(id=1), name="demo_load_once")]

    def __str__(self) -> str:
        return "Demo, complete" if self.finished_at else "Demo, unfinished"

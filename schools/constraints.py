"""A composite foreign key, which Django's own ForeignKey cannot express.

Every row of a school carries `school_id`. A plain foreign key from a chunk to its document says nothing about
their schools; with `(school_id, document_id) REFERENCES document (school_id, id)` no row can point to another school,
whatever the code does.
"""

from typing import Any

from django.db import models


class SameSchool(models.BaseConstraint):
    """`(school_id, <field>_id)` must exist as `(school_id, id)` in the table that `field` points to.

    The field itself is declared with `db_constraint=False`: this constraint does its work. The target model needs
    a unique constraint over `("school", "id")`, which it declares itself. Checked at the end of the transaction, as
    Django's own foreign keys are, so that rows can be deleted in any order.
    """

    def __init__(self, *, field: str, name: str) -> None:
        self.field = field
        super().__init__(name=name)

    def create_sql(self, model: Any, schema_editor: Any) -> str:
        field = model._meta.get_field(self.field)
        quote = schema_editor.quote_name
        return (
            f"ALTER TABLE {quote(model._meta.db_table)} ADD CONSTRAINT {quote(self.name)} "
            f'FOREIGN KEY ("school_id", {quote(field.column)}) '
            f'REFERENCES {quote(field.related_model._meta.db_table)} ("school_id", "id") '
            "DEFERRABLE INITIALLY DEFERRED"
        )

    def constraint_sql(self, model: Any, schema_editor: Any) -> str:
        # Django would put this inside CREATE TABLE, before the other table exists: add it after instead.
        schema_editor.deferred_sql.append(self.create_sql(model, schema_editor))
        return ""

    def remove_sql(self, model: Any, schema_editor: Any) -> Any:
        return schema_editor._delete_fk_sql(model, self.name)

    def validate(self, model: object, instance: models.Model, exclude: object = None, using: str = "default") -> None:
        """Does nothing: the database checks the pair when the transaction commits."""

    def deconstruct(self) -> Any:
        path, args, kwargs = super().deconstruct()
        return path, args, {**kwargs, "field": self.field}

    def __eq__(self, other: object) -> bool:
        return isinstance(other, SameSchool) and (self.name, self.field) == (other.name, other.field)

    def __hash__(self) -> int:
        return hash((self.name, self.field))

"""Keep what every search reads in line and short: vectors plain, stems in line, the text itself beside the row.

A row that is wider than a quarter of a page has its vector moved out, and each search then fetches it from there.
"""

from django.db import migrations

TABLE = "school_library_schoolchunk"


class Migration(migrations.Migration):
    dependencies = [("school_library", "0002_language")]
    operations = [
        migrations.RunSQL(
            f"""
            ALTER TABLE {TABLE} ALTER COLUMN embedding SET STORAGE PLAIN, ALTER COLUMN search SET STORAGE MAIN,
                ALTER COLUMN text SET STORAGE EXTERNAL;
            ALTER TABLE {TABLE} SET (toast_tuple_target = 128);
            """,
            f"""
            ALTER TABLE {TABLE} ALTER COLUMN embedding SET STORAGE EXTERNAL,
                ALTER COLUMN search SET STORAGE EXTENDED, ALTER COLUMN text SET STORAGE EXTENDED;
            ALTER TABLE {TABLE} RESET (toast_tuple_target);
            """,
        ),
    ]

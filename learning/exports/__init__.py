"""Plans and questions as files: JSON, Moodle XML, GIFT, Anki, CSV and a worksheet."""

"""Pages of launches (`launching`), of teachers who have come (`choosing`), and of the school (`school`)."""

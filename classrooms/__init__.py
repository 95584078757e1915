"""Classes: pupils without accounts ask a teacher's chatbots by a link, and the teacher sees what happens."""

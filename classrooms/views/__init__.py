"""Pages: joining and asking for pupils, the desk of the teacher, and the switch of the school's admins."""

"""Streets of stud: own cards, burns, the last card and who opens."""

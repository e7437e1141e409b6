"""Events at the table, a folder for each subject: functions on the core."""

"""The tampering rules, one module each: functions from a patch to findings; `tampering.RULES` lists them."""

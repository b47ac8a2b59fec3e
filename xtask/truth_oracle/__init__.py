"""An oracle of a run's figures and verdicts that shares no code with the product."""

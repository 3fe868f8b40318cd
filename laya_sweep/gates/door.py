"""The door by which a gate was called, and how it spells what a person may write."""

from __future__ import annotations

from enum import Enum

#: Options of the run itself, beside the mapping `gate`.
_OF_THE_RUN = ("baseline",)


class Door(Enum):
    """A verb of the command line, the options of a sweep, or a function in Python."""

    COMMAND = "command"
    SWEEP = "sweep"
    PYTHON = "python"

    def option(self, name: str) -> str:
        """An option by itself.

        >>> [door.option("max_ece") for door in Door]
        ['--max-ece', 'gate.max_ece', 'max_ece']
        """
        if self is Door.COMMAND:
            return f"--{name.replace('_', '-')}"
        return f"gate.{name}" if self is Door.SWEEP and name not in _OF_THE_RUN else name

    def written(self, name: str, value: str) -> str:
        """An option with a value.

        >>> [door.written("baseline", "X") for door in Door]
        ['--baseline X', 'baseline=X', 'baseline=X']
        """
        return f"{self.option(name)}{' ' if self is Door.COMMAND else '='}{value}"

    @property
    def everything(self) -> str:
        """Where every check stands."""
        return {
            Door.COMMAND: "--all shows them",
            Door.SWEEP: "verdict.json has them",
            Door.PYTHON: "lines(everything=True) has them",
        }[self]

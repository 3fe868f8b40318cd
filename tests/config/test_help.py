"""What people read of the options says what the declarations say."""

from pathlib import Path

import pytest

from laya_sweep.config.help import option_lines, options_page
from laya_sweep.domain.option import every_option
from laya_sweep.domain.settings import Settings

PAGE = Path(__file__).parents[2] / "docs" / "options.md"
OPTIONS = [option for option in every_option(Settings) if not option.option.found]
COMMAND = (
    'python -c "from pathlib import Path; from laya_sweep.config.help import options_page; '
    "Path('docs/options.md').write_text(options_page(), 'utf-8')\""
)


def test_the_page_of_options_is_what_the_declarations_say():
    assert PAGE.read_text("utf-8") == options_page(), f"docs/options.md is stale. Write it again with: {COMMAND}"


@pytest.mark.parametrize("option", OPTIONS, ids=lambda option: option.name)
def test_help_and_page_name_every_option_with_what_it_takes(option):
    key = option.name.rpartition(".")[2]
    [line] = [
        line for line in option_lines().splitlines() if line.startswith(f"  {key} ") and option.option.help in line
    ][:1]
    assert option.words in line
    assert f"| `{key}` | {option.words} |" in options_page()


def test_a_default_is_shown_as_it_is_written():
    words = [line.split() for line in option_lines().splitlines() if line.startswith("  ")]
    lines = {line[0]: line[1] for line in words if len(line) > 1}
    assert (lines["batch_tokens"], lines["batch_size"], lines["dry_run"]) == ("4096", "null", "false")
    assert (lines["score_within"], lines["shard_timeout_s"], lines["uri"]) == ("[0.25]", "3600", "outputs/store")

"""Every option is declared once, and says all that is asked of it."""

import dataclasses

import pytest

from laya_sweep.domain.option import declared, every_option, identity_of
from laya_sweep.domain.settings import CheckpointSettings, NarrowingSettings, Settings, TransformSettings

OPTIONS = {option.name: option for option in every_option(Settings)}


@pytest.mark.parametrize("name", sorted(OPTIONS))
def test_every_option_is_identity_or_runtime_and_says_what_it_does(name):
    assert OPTIONS[name].option is not None, (
        f"{name} is not classified. In laya_sweep/domain/settings.py write its type as Annotated[TYPE, identity(HELP)] "
        "if it can change a logit (and see that the cell key takes it), as Annotated[TYPE, runtime(HELP)] if not."
    )
    assert OPTIONS[name].option.help


def test_options_are_found_in_groups_and_in_lists_of_groups():
    assert len(OPTIONS) > 80
    assert {"drift", "executor.num_cpus", "dataset.mapping.tags", "routers.routes.source"} <= set(OPTIONS)


@pytest.mark.parametrize("name", sorted(name for name, option in OPTIONS.items() if not option.option.found))
def test_an_option_says_what_it_takes_in_words(name):
    assert " " in OPTIONS[name].words
    assert not OPTIONS[name].words.startswith("<")


def test_identity_is_in_the_order_of_the_declaration():
    assert identity_of(TransformSettings("option_order", 3, 5)) == {
        "name": "option_order",
        "seed": 5,
        "sampler": "by_case",
    }
    assert [*identity_of(NarrowingSettings())] == ["name", "k", "embedder", "embedder_id", "group_size"]


def test_a_field_that_must_be_written_has_no_default():
    by_name = {field.name: field for field in declared(CheckpointSettings)}
    assert by_name["source"].default is dataclasses.MISSING
    assert (by_name["engine"].default, by_name["expected_sha256"].default) == ("torch", {})

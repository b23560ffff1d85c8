"""`tf.train.CheckpointManager` and the state file."""

from __future__ import annotations

from pathlib import Path

import pytest

import tfcheck_runtime as tf


@pytest.fixture
def checkpoint() -> tf.train.Checkpoint:
    """Of one step."""
    return tf.train.Checkpoint(step=tf.Variable(0))


def names(paths: list[str]) -> list[str]:
    return [Path(p).name for p in paths]


def test_old_checkpoints_go(checkpoint: tf.train.Checkpoint, tmp_path: Path) -> None:
    manager = tf.train.CheckpointManager(checkpoint, tmp_path, max_to_keep=2)
    for _ in range(4):
        manager.save()

    assert names(manager.checkpoints) == ["ckpt-3", "ckpt-4"]
    assert sorted(p.name for p in tmp_path.glob("*.index")) == ["ckpt-3.index", "ckpt-4.index"]
    assert tf.train.latest_checkpoint(tmp_path) == manager.latest_checkpoint


def test_another_manager_finds_them_again(checkpoint: tf.train.Checkpoint, tmp_path: Path) -> None:
    first = tf.train.CheckpointManager(checkpoint, tmp_path, max_to_keep=3)
    first.save()
    checkpoint.step.assign(5)
    first.save(checkpoint_number=10)
    checkpoint.step.assign(0)

    second = tf.train.CheckpointManager(checkpoint, tmp_path, max_to_keep=3)

    assert names(second.checkpoints) == ["ckpt-1", "ckpt-10"]
    assert Path(second.restore_or_initialize()).name == "ckpt-10"
    assert int(checkpoint.step) == 5


def test_an_interval_of_steps_is_kept(checkpoint: tf.train.Checkpoint, tmp_path: Path) -> None:
    manager = tf.train.CheckpointManager(
        checkpoint, tmp_path, None, step_counter=checkpoint.step, checkpoint_interval=2
    )
    saved = []
    for _ in range(5):
        checkpoint.step.assign_add(1)
        saved.append(manager.save() is not None)

    assert saved == [True, False, True, False, True]


def test_without_a_checkpoint_the_initializer_runs(
    checkpoint: tf.train.Checkpoint, tmp_path: Path
) -> None:
    ran: list[int] = []

    manager = tf.train.CheckpointManager(checkpoint, tmp_path, 1, init_fn=lambda: ran.append(1))

    assert (manager.restore_or_initialize(), ran, manager.latest_checkpoint) == (None, [1], None)


def test_nothing_is_kept_by_mistake(checkpoint: tf.train.Checkpoint, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"^Expected a positive integer or `None` for"):
        tf.train.CheckpointManager(checkpoint, tmp_path, max_to_keep=0)


def test_a_directory_without_state_has_no_latest(tmp_path: Path) -> None:
    assert tf.train.latest_checkpoint(tmp_path) is None


def test_checkpoints_saved_without_a_manager_stay(
    checkpoint: tf.train.Checkpoint, tmp_path: Path
) -> None:
    checkpoint.save(tmp_path / "own")
    manager = tf.train.CheckpointManager(checkpoint, tmp_path, max_to_keep=1)
    found = manager.latest_checkpoint
    for _ in range(2):
        manager.save()

    assert Path(found or "").name == "own-1"
    assert sorted(p.name for p in tmp_path.glob("*.index")) == ["ckpt-3.index", "own-1.index"]

import dataclasses

import numpy as np
import pytest

from core.cost import flops, parameters


@pytest.mark.parametrize(
    ("D", "bias", "count"), [(512, True, 1_050_624), (512, False, 1_048_576), (3, True, 48), (1, False, 4)]
)
def test_parameters(D, bias, count):
    assert parameters(D, bias) == count
    assert type(parameters(np.int64(D))) is int


def test_flops_of_the_lesson():
    count = flops(512, 512, 8)
    assert (count.projections, count.attention, count.total) == (8 * 512**3, 4 * 512**3, 12 * 512**3)
    assert flops(512, 512, 1) == flops(512, 512, 64) == count


@pytest.mark.parametrize(("T", "D", "H"), [(2, 3, 3), (5, 7, 1), (13, 14, 7)])
def test_flops_count_every_product(T, D, H):
    # An (a, b) times (b, c) product takes 2abc.
    projections = 3 * (2 * T * D * D) + 2 * T * D * D
    heads = H * (2 * T * (D // H) * T + 2 * T * T * (D // H))
    assert dataclasses.astuple(flops(T, D, H)) == (projections, heads, projections + heads)


def test_the_square_wins_beyond_twice_the_width():
    assert flops(2048, 1024, 8).projections == flops(2048, 1024, 8).attention
    assert flops(2049, 1024, 8).attention > flops(2049, 1024, 8).projections


def test_large_sizes_do_not_overflow():
    assert flops(np.int32(10**6), np.int32(10**6), 1).total == 12 * 10**18
    with pytest.raises(dataclasses.FrozenInstanceError):
        flops(1, 1, 1).total = 0


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda: parameters(0), ValueError, "D: expected an integer of at least 1, got 0"),
        (lambda: parameters(8.0), TypeError, "D: expected an integer, got 8.0"),
        (lambda: parameters(8, bias="no"), TypeError, "bias: expected True or False, got 'no'"),
        (lambda: flops(5, 8, 3), ValueError, "H: expected a divisor of D = 8, got 3"),
        (lambda: flops(-5, 8, 2), ValueError, "T: expected an integer of at least 1, got -5"),
        (lambda: flops(5, 8, True), TypeError, "H: expected an integer, got True"),
    ],
)
def test_errors_name_the_argument(call, error, message):
    with pytest.raises(error, match=message):
        call()

"""The checks of the notebook, one module an exercise: right answers, typical mistakes, and what is said of them.

`build.py` brings all of it along in the first cell of the notebook, in one namespace with the student's code. So names
are long and plain (`right_softmax`, `must_equal`): a student's own names must not meet them.
"""

from .attention import check_attention, check_softmax
from .gradients import check_backward, check_jacobian, check_largest_slope, check_vjp
from .heads import check_heads, check_split_and_merge
from .order import check_causal, check_gap, compare_shuffled
from .variance import check_dot_products, check_largest_weight, plot_largest_weight

__all__ = [
    "check_attention",
    "check_backward",
    "check_causal",
    "check_dot_products",
    "check_gap",
    "check_heads",
    "check_jacobian",
    "check_largest_slope",
    "check_largest_weight",
    "check_softmax",
    "check_split_and_merge",
    "check_vjp",
    "compare_shuffled",
    "plot_largest_weight",
]

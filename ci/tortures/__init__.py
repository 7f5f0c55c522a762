# SPDX-License-Identifier: Apache-2.0
"""What `ci/torture` does to the program: one module per sort of attack, and one judge for all of them."""

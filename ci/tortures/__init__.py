# SPDX-License-Identifier: Apache-2.0
"""The attacks of `ci/torture`: one module per sort of attack, and one judge for all of them."""

// SPDX-License-Identifier: Apache-2.0
// Which orders of the grammar (models/order.hpp) a summation tree allows. This file decides which
// orders are worth distinguishing; it knows neither formats nor boxes.
#pragma once

#include "reference/inference/tree.hpp"

namespace halfmark::inference {

// Every order worth distinguishing over sums of `count` products: parts and blocks of every size,
// runs, and each way to combine them. Without `addend` there is no c that could enter elsewhere.
[[nodiscard]] std::vector<models::Order> all_orders(std::size_t count, bool addend);

// The orders with exactly this tree, shortest names first; the tree written out if there is
// no other.
[[nodiscard]] std::vector<models::Order> orders_with(const SumTree& tree, bool addend);

// The orders whose partial sums, and whatever these are combined to, are nodes of the tree; the
// inside of a partial sum may be anything, because a matrix unit decides its own chain. Shortest
// names first.
[[nodiscard]] std::vector<models::Order> orders_of_parts(const SumTree& tree, bool addend);

}  // namespace halfmark::inference

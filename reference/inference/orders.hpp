// SPDX-License-Identifier: Apache-2.0
// Which orders of the grammar (models/order.hpp) a summation tree allows. Decides which orders are
// worth telling apart; knows neither formats nor boxes.
#pragma once

#include "reference/inference/tree.hpp"

namespace halfmark::inference {

// Every order that is worth telling apart over sums of `count` products: parts and blocks of every
// size, runs, each way to combine. Without `addend` there is no c that could enter elsewhere.
[[nodiscard]] std::vector<models::Order> all_orders(std::size_t count, bool addend);

// Those with this very tree, the shortest names first; the tree written out when there is no other.
[[nodiscard]] std::vector<models::Order> orders_with(const SumTree& tree, bool addend);

// Those whose partial sums, and what they are combined to, are nodes of the tree, whatever happens
// inside a partial sum: what a chain of a matrix unit does there is that unit's affair. The
// shortest names first.
[[nodiscard]] std::vector<models::Order> orders_of_parts(const SumTree& tree, bool addend);

}  // namespace halfmark::inference

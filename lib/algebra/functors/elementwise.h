#pragma once

#include <type_traits>
#include <utility>

namespace adamant
{
/// Tells whether a functor has value(i) and store(i, value), which makes it an operation on independent elements.
template <typename Functor, typename = void>
struct IsElementwise : std::false_type
{
};
template <typename Functor>
struct IsElementwise<Functor, std::void_t<decltype(std::declval<const Functor &>().value(0))>> : std::true_type
{
};
} // namespace adamant

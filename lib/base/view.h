#pragma once

#include "base/host_device.h"

#ifdef ADAMANT_CHECKED
#include "base/checked_view.h"
#endif

namespace adamant
{
#ifndef ADAMANT_CHECKED
/// An array in the memory of a device, as functors see it: its address. In the checked build a view knows its size,
/// too.
template <typename T>
using View = T *;

/// Returns a view of the elements of an Array, a List or a Vector.
template <class Container>
auto elements(const Container &container)
{
  return container.data();
}
#endif
} // namespace adamant

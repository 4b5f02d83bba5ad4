#pragma once

#include "base/host_device.h"

#ifdef ADAMANT_CHECKED
#include "base/checked_view.h"
#endif

namespace adamant
{
#ifndef ADAMANT_CHECKED
/// What functors see of an array in the memory of a device: where it begins. In the checked build it knows its size, too.
template <typename T>
using View = T *;

/// The elements of an Array, a List or a Vector.
template <class Container>
auto elements(const Container &container)
{
  return container.data();
}
#endif
} // namespace adamant

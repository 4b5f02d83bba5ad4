#pragma once

#include "base/checked.h"

#include <utility>
#include <vector>

// The arrays of the checked build; base/array.h has the arrays of all other builds.

namespace adamant
{
/// Allocator that puts memory between red zones (base/checked.h) and leaves new elements uninitialised.
template <typename T>
class UninitializedAllocator
{
public:
  using value_type         = T;
  UninitializedAllocator() = default;
  template <typename U>
  UninitializedAllocator(const UninitializedAllocator<U> &)
  {}

  T   *allocate(std::size_t n) { return static_cast<T *>(checked::allocate(n * sizeof(T))); }
  void deallocate(T *p, std::size_t n) { checked::deallocate(p, n, sizeof(T), typeid(T)); }

  template <typename U>
  void construct(U *p) noexcept
  {
    ::new (static_cast<void *>(p)) U;
  }
  template <typename U, typename... Args>
  void construct(U *p, Args &&...args)
  {
    ::new (static_cast<void *>(p)) U(std::forward<Args>(args)...);
  }

  template <typename U>
  bool operator==(const UninitializedAllocator<U> &) const
  {
    return true;
  }
  template <typename U>
  bool operator!=(const UninitializedAllocator<U> &) const
  {
    return false;
  }
};

/// Host array that checks its indices.
template <typename T>
class Array : public std::vector<T, UninitializedAllocator<T>>
{
  using Base = std::vector<T, UninitializedAllocator<T>>;

public:
  using Base::Base;

  T       &operator[](std::size_t i) { return Base::data()[checked_index(i)]; }
  const T &operator[](std::size_t i) const { return Base::data()[checked_index(i)]; }
  T       &front() { return (*this)[0]; }
  const T &front() const { return (*this)[0]; }
  T       &back() { return (*this)[Base::size() - 1]; }
  const T &back() const { return (*this)[Base::size() - 1]; }

private:
  std::size_t checked_index(std::size_t i) const
  {
    if (i >= Base::size())
      checked::out_of_range(i, Base::size(), Base::data(), typeid(T));
    return i;
  }
};
} // namespace adamant

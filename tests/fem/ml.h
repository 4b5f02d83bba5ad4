#pragma once

#include "base/exceptions.h"
#include "frame/trilinos_amg.h"
#include "solvers/preconditioner.h"

namespace test
{
/// Trilinos ML as a preconditioner.
struct ML : adamant::Preconditioner
{
  ML(const adamant::CSRMatrix<double> &A, const adamant::TrilinosAMGOptions &options)
    : amg(adamant::trilinos_amg(A, options))
  {}
  void vmult(const adamant::Vector<double> &v, adamant::Vector<double> &z) const override { amg(v.data(), z.data()); }
  void update() override { throw adamant::RunError("no new values are expected"); }

  adamant::TrilinosAMG amg;
};
} // namespace test

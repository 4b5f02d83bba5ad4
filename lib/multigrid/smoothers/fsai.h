#pragma once

#include "multigrid/smoothers/smoother.h"

#include <memory>

namespace adamant
{
/// S = GᵀG is the factorised sparse approximate inverse of fsai_factor. G has the pattern of A's lower triangle.
template <typename Number>
class FSAI : public Smoother<Number>
{
public:
  using Vector = adamant::Vector<Number>;

  explicit FSAI(const DeviceLevel<Number> &level);

  void    update() override;
  void    vmult(Number a, const Vector &b, Vector &x, bool transposed) const override;
  Vector &step(Number alpha, Number beta, const Vector &b, Vector &x, const Vector &d_old, Vector &d, Vector &y,
               bool transposed) const override; ///< returns x

private:
  void update_on_device();

  DeviceLevel<Number> level;
  // Rows of G and Gᵀ, and where each entry of Gᵀ stands in G, if the values of A change on the device.
  std::unique_ptr<CompressedRows> changing, changing_transposed;
  List<EntryNumber>               place;
  int                             widest = 0;                // entries of the longest row of G
  Matrix<Number>                  factor, factor_transposed; // G, Gᵀ
  mutable Vector                  r, s, own_d;
};
} // namespace adamant

#include "multigrid/smoothers/fsai.h"

#include "multigrid/smoothers/functors.h"
#include "multigrid/smoothers/setup.h"
#include "multigrid/smoothers/update_functors.h"

#include <algorithm>
#include <string>
#include <type_traits>

namespace adamant
{
template <typename Number>
FSAI<Number>::FSAI(const DeviceLevel<Number> &level)
  : level(level)
  , r(level.device, level.n_rows())
  , s(level.device, level.n_rows())
{
  update();
}

template <typename Number>
void FSAI<Number>::update()
{
  if (level.changing())
    return update_on_device();
  const CSRMatrix<double> G = fsai_factor(*level.matrix());
  if (factor.n_rows() > 0)
    {
      factor.update(G);
      factor_transposed.update(transpose(G));
      return;
    }
  factor            = Matrix<Number>(level.device, G);
  factor_transposed = Matrix<Number>(level.device, transpose(G));
}

template <typename Number>
void FSAI<Number>::update_on_device()
{
  const bool        first = !changing;
  CSRMatrix<double> G, Gt;
  if (first)
    {
      G = fsai_pattern(*level.matrix());
      for (EntryNumber k = 0; k < EntryNumber(G.n_nonzeros()); ++k)
        G.value[k] = static_cast<double>(k); // the transpose then tells where each entry was
      Gt = transpose(G);
      for (int i = 0; i < G.n_rows; ++i)
        widest = std::max(widest, static_cast<int>(G.row_start[i + 1] - G.row_start[i]));
      place               = List<EntryNumber>(level.device, Array<EntryNumber>(Gt.value.begin(), Gt.value.end()));
      changing            = std::make_unique<CompressedRows>(level.device, G);
      changing_transposed = std::make_unique<CompressedRows>(level.device, Gt);
    }
  const auto factorize = [&](auto most) {
    level.device.for_each(level.n_rows(),
                          FactorRows<most.value>{level.changing()->view(), changing->view(), changing->values.data()});
  };
  if (widest <= 16)
    factorize(std::integral_constant<int, 16>());
  else if (widest <= 48)
    factorize(std::integral_constant<int, 48>());
  else
    throw RunError("FSAI of values that change: a row has " + std::to_string(widest) +
                   " entries up to its diagonal, at most 48 can be; use another smoother");
  level.device.for_each(changing->values.size(),
                        Permute{place.data(), changing->values.data(), changing_transposed->values.data()});
  if (first)
    {
      factor            = Matrix<Number>(level.device, G, *changing);
      factor_transposed = Matrix<Number>(level.device, Gt, *changing_transposed);
      return;
    }
  factor.update(*changing);
  factor_transposed.update(*changing_transposed);
}

template <typename Number>
void FSAI<Number>::vmult(Number a, const Vector &b, Vector &x, bool) const
{
  level.device.multiply(Number(1), factor, b, Number(0), s);
  level.device.multiply(a, factor_transposed, s, Number(0), x);
}

template <typename Number>
auto FSAI<Number>::step(Number alpha, Number beta, const Vector &b, Vector &x, const Vector &d_old, Vector &d, Vector &,
                        bool) const -> Vector &
{
  if (d.size() == 0 && own_d.size() == 0)
    own_d = Vector(level.device, x.size());
  Vector &direction = d.size() > 0 ? d : own_d;
  level.device.residual(level.A, x, b, r);
  level.device.multiply(Number(1), factor, r, Number(0), s);
  level.device.for_each_row(factor_transposed, s,
                            Update<Number>(alpha, beta, d_old.data(), direction.data(), x.data()));
  return x;
}

template class FSAI<double>;
template class FSAI<float>;
} // namespace adamant

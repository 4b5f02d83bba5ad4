#include "direct/schur.h"

#include "algebra/functors/vector_functors.h"
#include "base/csr/csr_operations.h"
#include "base/exceptions.h"
#include "direct/schur_functors.h"

#include <algorithm>
#include <limits>
#include <numeric>
#include <type_traits>
#include <utility>

namespace adamant
{
namespace
{
// What right-hand sides are scaled to in low precision.
constexpr double length = 1024.;

template <typename T>
class SolverIn : public InverseIn<SolverIn<T>, T>
{
public:
  SolverIn(const Device &device, const NestedNodes &nodes, const MacroCells &cells, const Prehandled &matrices,
           Arithmetic arithmetic, int n_columns)
    : Base(device, arithmetic, n_columns, true)
    , in_number(device, scaled ? Arithmetic::float32 : Arithmetic::float64)
    , n(nodes.n_unknowns)
    , n_C(static_cast<int>(cells.coarse.size()))
    , n_E(static_cast<int>(cells.edge.size()))
    , row_E(padded<T>(n_E))
  {
    require(std::size_t(n) * columns <= std::size_t(std::numeric_limits<int>::max()), "schur: ", n_columns,
            " right-hand sides of ", n, " entries at once are more than 2^31 numbers");
    const auto local = local_inverses(device, cells, matrices);
    setup_edges(cells, matrices, local);
    const auto numbers = setup_numbers(nodes, cells, matrices);
    setup_local(cells, matrices, local);
    setup_doors(nodes, cells, numbers);
    setup_vectors();
    count(cells);
  }

  template <typename Outer>
  void solve(const Vector<Outer> &b, const double *squares, bool add, Vector<Outer> &x)
  {
    if (scaled)
      this->scale_columns(b, squares, length, 1.);
    enter(b);
    solve_edges();
    solve_inner();
    leave(add, x);
  }
  std::size_t bytes() const override
  {
    std::size_t sum = h.size() * sizeof(Number) + Pi_inverse.bytes() + B.bytes() + L_inverse.bytes();
    for (const auto &k : classes)
      sum += k.C_W.bytes() + k.W.bytes();
    for (const auto *buffer : {&c_hat, &w, &t, &x_E})
      sum += buffer->bytes();
    for (const auto *buffer : {&c_rounded, &e, &x_E_rounded, &of_cells})
      sum += buffer->bytes();
    return sum;
  }

private:
  using Base = InverseIn<SolverIn<T>, T>;
  using Base::device, Base::products, Base::n_columns, Base::columns, Base::scales, Base::scales_back, Base::scaled;
  using Base::flop, Base::paper_flop, Base::traffic;
  using Number = std::conditional_t<scaled, float, double>; // of vectors between products

  struct Class
  {
    int       n_cells, m, e, row;      // row: m + e, padded
    List<T>   W, C_W;                  // D C⁻¹, and d [C⁻¹ -Wᵀ]; rows of padded<T>(m), padded<T>(m + e) entries
    List<int> edge;                    // positions in h, or -1
    int       first_inner, first_edge; // of the class's rows among those of all
    int       first_row;               // likewise, of `row` rows for each cell
  };

  // Launches make(W), a functor for W columns at a time, for so many rows.
  template <class MakeFunctor>
  void for_rows(int n_rows, const MakeFunctor &make) const
  {
    with_columns_at_once<Number>(columns,
                                 [&](auto width) { device.for_each(n_rows * (columns / width), make(width)); });
  }
  T   *cell_rows(const Class &k) { return of_cells.data() + std::size_t(k.first_row) * columns; }
  void setup_local(const MacroCells &cells, const Prehandled &matrices, const std::vector<LocalInverse> &local)
  {
    for (std::size_t k = 0; k < cells.classes.size(); ++k)
      {
        const auto &from = cells.classes[k];
        Class       to;
        const int   m = to.m = from.n_inner, e = to.e = from.n_edge, row_W = padded<T>(m),
                  row = to.row = padded<T>(m + e);
        to.n_cells             = from.n_cells;
        Array<double> W(std::size_t(e) * row_W, 0.), C_W(std::size_t(m) * row, 0.);
        for (int i = 0; i < e; ++i)
          std::copy_n(&local[k].W[std::size_t(i) * m], m, &W[std::size_t(i) * row_W]);
        for (int i = 0; i < m; ++i)
          {
            const double d = matrices.inverse_diagonal[from.inner[i]]; // the same in all cells of the class
            for (int j = 0; j < m; ++j)
              C_W[std::size_t(i) * row + j] = d * local[k].C_inverse[std::size_t(i) * m + j];
            for (int j = 0; j < e; ++j)
              C_W[std::size_t(i) * row + m + j] = -d * local[k].W[std::size_t(j) * m + i];
          }
        to.W   = to_list<T>(device, W);
        to.C_W = to_list<T>(device, C_W);
        Array<int> edge(from.edge);
        for (int &E : edge)
          E = E < 0 ? -1 : n_C + E;
        to.edge        = List<int>(device, edge);
        to.first_inner = n_inner;
        to.first_edge  = n_places;
        to.first_row   = n_rows;
        n_rows += to.n_cells * row;
        n_inner += to.n_cells * m;
        n_places += to.n_cells * e;
        classes.push_back(std::move(to));
      }
  }

  // The order of unknowns in h: C, E, then I cell by cell; and for each on an edge the places that it has in cells.
  Array<int> setup_numbers(const NestedNodes &nodes, const MacroCells &cells, const Prehandled &matrices)
  {
    Array<int> numbers = cells.coarse;
    numbers.insert(numbers.end(), cells.edge.begin(), cells.edge.end());
    for (const auto &kind : cells.classes)
      numbers.insert(numbers.end(), kind.inner.begin(), kind.inner.end());
    Array<int>    positions(n), on_edges(n_E);
    Array<Number> factors(n);
    for (int i = 0; i < n; ++i)
      {
        positions[numbers[i]] = i;
        factors[i]            = static_cast<Number>(matrices.inverse_diagonal[numbers[i]]);
      }
    std::iota(on_edges.begin(), on_edges.end(), n_C);
    NestedNodes renumbered = nodes;
    for (int &number : renumbered.unknown)
      number = number < 0 ? -1 : positions[number];
    basis    = HierarchicalBasis<Number>(device, renumbered);
    position = List<int>(device, positions);
    E        = List<int>(device, on_edges);
    factor   = List<Number>(device, factors);
    Array<int> edge_at; // of each place
    for (const auto &kind : cells.classes)
      edge_at.insert(edge_at.end(), kind.edge.begin(), kind.edge.end());
    const auto places = transpose(matrix_of_rows(static_cast<int>(edge_at.size()), n_E, [&](int place, Row &row) {
      if (edge_at[place] >= 0)
        row.emplace_back(edge_at[place], 1.);
    }));
    slots             = List<std::int64_t>(device, places.row_start);
    slot              = List<int>(device, places.column);
    return positions;
  }

  // The finest step of S and Sᵀ is applied at the doors. There the nodes inside cells that are new in this step go to
  // their cells at once. `positions` are the places of the unknowns in h.
  void setup_doors(const NestedNodes &nodes, const MacroCells &cells, const Array<int> &positions)
  {
    Array<int>              own;
    const CSRMatrix<double> rows = interpolation(nodes, nodes.n_levels() - 2, own), columns = transpose(rows);
    Array<int>              row_of(n, -1), places(n, -1), rest, rest_places;
    for (std::size_t i = 0; i < own.size(); ++i)
      row_of[own[i]] = static_cast<int>(i);
    for (std::size_t k = 0; k < classes.size(); ++k)
      for (std::size_t i = 0; i < cells.classes[k].inner.size(); ++i)
        {
          const int unknown = cells.classes[k].inner[i], m = classes[k].m,
                    at = classes[k].first_row + int(i) / m * classes[k].row + int(i) % m;
          if (row_of[unknown] >= 0)
            places[unknown] = at;
          else
            {
              rest.push_back(positions[unknown]);
              rest_places.push_back(at);
            }
        }
    place       = List<int>(device, places);
    older       = List<int>(device, rest);
    older_place = List<int>(device, rest_places);
    Array<int> all(n);
    std::iota(all.begin(), all.end(), 0);
    to_old   = {device, renumbered_rows(columns, all, own)};
    from_old = {device, renumbered_rows(rows, row_of, positions)};
  }

  // B, and Π⁻¹: Λ - BᵀB in double, inverted and rounded.
  void setup_edges(const MacroCells &cells, const Prehandled &matrices, const std::vector<LocalInverse> &local)
  {
    const DenseProducts     in_double(device, Arithmetic::float64);
    const CSRMatrix<double> complement = edge_complement(cells, matrices, local);
    const auto              fill       = [this](const CSRMatrix<double> &A, List<double> &dense) {
      const ColumnMatrix<double> sparse(device, A);
      device.for_each(A.n_rows, FillDense{sparse.view(), std::size_t(n_E), dense.data()});
      device.synchronize();
    };
    const auto round = [this](const List<double> &from, int n_rows) {
      List<T> to(device, std::size_t(n_rows) * row_E, "dense matrices");
      for (int i = 0; i < n_rows; ++i)
        device.for_each(row_E,
                        RoundRow<T>{n_E, from.data() + std::size_t(i) * n_E, to.data() + std::size_t(i) * row_E});
      return to;
    };
    L_inverse = to_list<Number>(device, matrices.L_inverse);
    List<double> Pi(device, std::size_t(n_E) * n_E, "dense matrices");
    fill(complement, Pi);
    {
      const List<double> L(device, matrices.L_inverse, "dense matrices");
      List<double>       coupling(device, std::size_t(n_C) * n_E), B_double(device, std::size_t(n_C) * n_E);
      fill(matrices.coupling, coupling);
      in_double.multiply({n_C, n_E, n_C, false, false, n_C, n_E, n_E}, 1., L.data(), coupling.data(), 0.,
                         B_double.data());
      in_double.multiply({n_E, n_E, n_C, true, false, n_E, n_E, n_E}, -1., B_double.data(), B_double.data(), 1.,
                         Pi.data());
      B = round(B_double, n_C);
    }
    in_double.invert(device, Pi.data(), n_E, n_E);
    Pi_inverse = round(Pi, n_E);
    device.synchronize();
  }

  void setup_vectors()
  {
    const std::size_t r = columns;
    h                   = Vector<Number>(device, to_index(n * r, "entries of right-hand sides"));
    c_hat               = List<Number>(device, n_C * r);
    w                   = List<Number>(device, n_places * r);
    t                   = List<Number>(device, row_E * r);
    x_E                 = List<Number>(device, n_E * r);
    c_rounded           = List<T>(device, n_C * r);
    e                   = List<T>(device, row_E * r);
    x_E_rounded         = List<T>(device, row_E * r);
    of_cells            = List<T>(device, n_rows * r);
    if (scaled)
      this->make_scales(n);
  }

  void count(const MacroCells &cells)
  {
    flop       = 2. * n_E * n_E + 4. * n_C * n_E + 2. * n_C * n_C;
    paper_flop = 2. * n_E * n_E + 4. * n_C * n_E;
    traffic    = sizeof(T) * (double(n_E) * n_E + 2. * n_C * n_E) +
              double(n_columns) * ((sizeof(T) + sizeof(Number)) * (2. * n_E + 2. * n_C) + 2. * sizeof(Number) * n_C);
    for (const auto &kind : cells.classes)
      {
        const double n_cells = kind.n_cells, m = kind.n_inner, e = kind.n_edge;
        flop += 2. * n_cells * m * (m + 2. * e);
        paper_flop += 4. * n_cells * m * m;
        traffic +=
          sizeof(T) * m * (m + 2. * e) + n_columns * n_cells * (sizeof(T) * (2. * m + e) + sizeof(Number) * (m + e));
      }
  }

  // h = Sᵀ b; b_C = L⁻¹ h_C, b_I = d h_I.
  template <typename Outer>
  void enter(const Vector<Outer> &b)
  {
    with_columns_at_once<Outer>(n_columns, [&](auto W) {
      const ColumnWarps<W> tiles{n, columns};
      device.for_each(tiles.size(), EnterColumns<Outer, Number, T, W>{
                                      tiles, n_columns, position.data(), place.data(), to_old.view(), factor.data(),
                                      b.data(), scaled ? scales.data() : nullptr, h.data(), of_cells.data()});
    });
    basis.load_to_hierarchical(columns, h, false);
    for_rows(older.size(), [&](auto W) {
      return GatherInner<Number, T, W>{columns,       older.data(), older_place.data(),
                                       factor.data(), h.data(),     of_cells.data()};
    });
    in_number.multiply({n_C, columns, n_C, false, false, n_C, columns, columns}, 1., L_inverse.data(), h.data(), 0.,
                       c_hat.data());
    device.for_each(n_C * columns, Convert<Number, T>{c_hat.data(), c_rounded.data()});
  }

  // x_E = Π⁻¹ (b_E - Bᵀb_C - W b_I), b_C <- x_C = L⁻ᵀ (b_C - B x_E).
  void solve_edges()
  {
    const std::size_t r = columns;
    for (const auto &k : classes)
      products.multiply({k.e, columns, padded<T>(k.m), false, false, padded<T>(k.m), columns, columns, k.n_cells, 0,
                         k.row * r, k.e * r},
                        1., k.W.data(), cell_rows(k), 0., w.data() + k.first_edge * r);
    products.multiply({row_E, columns, n_C, true, false, row_E, columns, columns}, 1., B.data(), c_rounded.data(), 0.,
                      t.data());
    for_rows(n_E, [&](auto W) {
      return EdgeLoad<Number, T, W>{columns,      E.data(),    factor.data(), h.data(), w.data(),
                                    slots.data(), slot.data(), t.data(),      e.data()};
    });
    products.multiply({n_E, columns, row_E, false, false, row_E, columns, columns}, 1., Pi_inverse.data(), e.data(), 0.,
                      x_E.data());
    device.for_each(n_E * columns, Convert<Number, T>{x_E.data(), x_E_rounded.data()});
    products.multiply({n_C, columns, row_E, false, false, row_E, columns, columns}, -1., B.data(), x_E_rounded.data(),
                      1., c_hat.data());
    in_number.multiply({n_C, columns, n_C, true, false, n_C, columns, columns}, 1., L_inverse.data(), c_hat.data(), 0.,
                       h.data());
  }

  // x_I = C⁻¹b_I - Wᵀ d x_E, and all of x in h.
  void solve_inner()
  {
    const std::size_t r = columns;
    for_rows(n_E, [&](auto W) {
      return ScatterRows<Number, W>{columns, E.data(), factor.data(), x_E.data(), h.data()};
    });
    for (const auto &k : classes)
      {
        for_rows(k.n_cells * k.e, [&](auto W) {
          return GatherRows<Number, T, W>{columns, k.e, k.row, k.edge.data(), h.data(), cell_rows(k) + k.m * r};
        });
        products.multiply(
          {k.m, columns, k.row, false, false, k.row, columns, columns, k.n_cells, 0, k.row * r, k.m * r}, 1.,
          k.C_W.data(), cell_rows(k), 0., h.data() + (n_C + n_E + k.first_inner) * r);
      }
  }

  template <typename Outer>
  void leave(bool add, Vector<Outer> &x)
  {
    basis.to_nodal(columns, h, false);
    with_columns_at_once<Outer>(n_columns, [&](auto W) {
      const ColumnWarps<W> tiles{n, columns};
      device.for_each(tiles.size(),
                      LeaveColumns<Number, Outer, W>{tiles, n_columns, position.data(), from_old.view(), h.data(),
                                                     scaled ? scales_back.data() : nullptr, add, x.data()});
    });
  }

  DenseProducts             in_number; // products of Numbers
  HierarchicalBasis<Number> basis;
  int                       n, n_C, n_E, row_E, n_inner = 0, n_places = 0, n_rows = 0;
  List<int>                 position, E, slot;  // in h: of each unknown, of E
  List<int>                 place;              // in of_cells: of unknowns new in the finest step inside cells, else -1
  List<int>                 older, older_place; // of the others inside cells: positions in h, places
  ColumnMatrix<Number>      to_old, from_old;   // the finest step: what old nodes take of new ones, and back
  List<std::int64_t>        slots;              // row starts
  List<Number>              factor;             // d, in the order of h
  std::vector<Class>        classes;
  List<Number>              L_inverse;
  List<T>                   B, Pi_inverse;
  Vector<Number>            h; // all unknowns
  List<Number>              c_hat, w, t, x_E;
  List<T>                   c_rounded, e, x_E_rounded;
  List<T>                   of_cells; // for each of them b_I, then what is on its edges
};
} // namespace

SchurBytes schur_bytes(double n_edge, Arithmetic arithmetic)
{
  const double size = arithmetic == Arithmetic::float64 ? 8 : arithmetic >= Arithmetic::bfloat16 ? 2 : 4;
  // While it is inverted: the matrix in double, blocks of 512 of its rows and columns, then the rounded one.
  return {size * n_edge * n_edge, std::max(8. * n_edge * (n_edge + 2. * 512.), (8. + size) * n_edge * n_edge)};
}

Schur::Schur(const Device &device, const NestedNodes &nodes, const MacroCells &cells, const Prehandled &matrices,
             Arithmetic arithmetic, int n_columns)
  : ColumnInverse(with_storage_type(arithmetic, [&](auto number) -> std::unique_ptr<InArithmetic> {
    return std::make_unique<SolverIn<decltype(number)>>(device, nodes, cells, matrices, arithmetic, n_columns);
  }))
{}
} // namespace adamant

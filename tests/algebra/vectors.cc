// Vectors, reductions and recorded operations of a device against their formulas in plain double precision.

#include "algebra/functors.h"
#include "algebra/functors/vector_functors.h"
#include "algebra/loop.h"
#include "base/exceptions.h"
#include "support/errors.h"
#include "support/functors.h"
#include "tests/algebra/support.h"

#include <algorithm>
#include <cmath>
#include <limits>

using namespace adamant;
using namespace adamant::test;

namespace
{
template <class In>
class VectorOperations : public DeviceOperations<In>
{
};
TYPED_TEST_SUITE(VectorOperations, Precisions, PrecisionName);

class Snapshots : public DeviceTest
{
};
class Loops : public DeviceTest
{
};
class ArnoldisMethod : public DeviceTest
{
protected:
  // The columns of an orthonormal basis of `count` vectors of length n, by the reference's own Gram-Schmidt.
  static std::vector<Values> orthonormal_basis(int n, int count)
  {
    std::vector<Values> basis;
    for (int k = 0; k < count; ++k)
      {
        Values v = random_values(n, 100 + k);
        for (int pass = 0; pass < 3; ++pass)
          for (const Values &b : basis)
            v = combine(1, v, -dot(b, v), b);
        basis.push_back(combine(1 / norm(v), v, 0, v));
      }
    return basis;
  }
  // A table of these vectors and room for one more.
  VectorTable<double> table(const std::vector<Values> &vectors) const
  {
    VectorTable<double> basis(device, vectors[0].size(), vectors.size() + 1);
    for (const Values &v : vectors)
      {
        basis.add();
        basis[basis.size() - 1].upload(v.data());
      }
    basis.add();
    return basis;
  }
  // Orthonormalises w against all vectors of a basis but the last. Returns the coefficients and the norm.
  Values step(VectorTable<double> &basis, int n_vectors, Vector<double> &w) const
  {
    const int           k = n_vectors - 1, n = w.size();
    VectorTable<double> directions(device, n, n_vectors);
    for (int i = 0; i < n_vectors; ++i)
      directions.add();
    const Shared<int> k_on_device(device);
    device.interface().upload(k_on_device.data(), &k, sizeof(int));
    Scalars h(device, 2 * (n_vectors + 1));
    device.arnoldi({n, n_vectors, k_on_device.data(), basis.data(), directions.data(), directions[k].data(), w.data(),
                    nullptr, h.data()});
    Values column(n_vectors + 1);
    device.interface().download(column.data(), h.data(), column.size() * sizeof(double));
    return column;
  }
};
INSTANTIATE_TEST_SUITE_P(Devices, Snapshots, all_places, place_name);
INSTANTIATE_TEST_SUITE_P(Devices, Loops, all_places, place_name);
INSTANTIATE_TEST_SUITE_P(Devices, ArnoldisMethod, all_places, place_name);
} // namespace

// The control is asked before each turn; its data are on the device.
TEST_P(Loops, RepeatTheirBodyWhileTheControlSaysSo)
{
  struct Numbers
  {
    int counter, answers;
  };
  for (const bool recordable : {true, false})
    {
      const Shared<Numbers> numbers(device);
      Numbers              *on_device = numbers.data();
      Vector<double>        x         = to_device(device, {1., 2.});
      const CountTo         control{&on_device->counter, &on_device->answers, 5};
      const auto            step = [&](const LoopAnswer &answer) {
        device.scale(2., x);
        device.for_each(1, Count{&on_device->counter});
        return Loop::ask(device, control, answer);
      };
      const Loop loop(device, control, step, recordable);
      expect_near(values_of(x), {1, 2}, 0., "x, expected untouched by recording");
      for (const auto &[begin, factor] : {std::pair(0, 32.), {3, 4.}, {5, 1.}, {4, 2.}})
        {
          const Numbers start{begin, 0};
          device.interface().upload(on_device, &start, sizeof(start));
          x.upload(Values{1, 2}.data());
          if (begin == 4)
            device.outdate_graphs(); // as new values of matrices do
          loop.run();
          expect_near(values_of(x), {factor, 2 * factor}, 0., "x");
          Numbers end;
          device.interface().download(&end, on_device, sizeof(end));
          EXPECT_EQ(end.counter, 5);
          EXPECT_EQ(end.answers, 6 - begin);
        }
    }
}

TEST_P(ArnoldisMethod, Steps)
{
  const int most = 11;
  for (const int n : {20, 5001})
    {
      VectorTable<double>       basis(device, n, most + 1), directions(device, n, most);
      const std::vector<Values> orthonormal = orthonormal_basis(n, most + 1);
      for (int i = 0; i <= most; ++i)
        {
          basis.add();
          basis[i].upload(orthonormal[i].data());
          if (i < most)
            directions.add();
        }
      const Shared<int> k(device);
      Scalars           h(device, 2 * (most + 1));
      for (const int last : {0, 1, 4, 7, 8, 10})
        for (const bool in_place : {false, true})
          {
            SCOPED_TRACE(std::to_string(last + 1) + " vectors of " + std::to_string(n));
            device.interface().upload(k.data(), &last, sizeof(int));
            const Values z = random_values(n, 1), start = random_values(n, 2);
            auto         own_z = to_device(device, z), own_w = to_device(device, start), v = to_device(device, start);
            Vector<double> &z_k = in_place ? directions[last] : own_z, &w = in_place ? basis[last + 1] : own_w;
            z_k.upload(z.data());
            w.upload(start.data());
            device.arnoldi({n, most, k.data(), basis.data(), directions.data(), z_k.data(), w.data(),
                            in_place ? w.data() : v.data(), h.data()});
            Values column(last + 2), rest = start;
            device.interface().download(column.data(), h.data(), column.size() * sizeof(double));
            for (int i = 0; i <= last; ++i)
              rest = combine(1, rest, -dot(orthonormal[i], start), orthonormal[i]);
            for (int i = 0; i <= last; ++i)
              EXPECT_NEAR(column[i], dot(orthonormal[i], start), 1e-13 * norm(start)) << "coefficient " << i;
            EXPECT_NEAR(column[last + 1], norm(rest), 1e-13 * norm(start)) << "norm before scaling";
            const Values expected = combine(1 / norm(rest), rest, 0, rest);
            expect_near(values_of(basis[last + 1]), expected, 1e-13, "the next vector");
            if (!in_place)
              expect_near(values_of(v), expected, 1e-13, "once more");
            expect_near(values_of(directions[last]), z, 0., "the direction");
            basis[last + 1].upload(orthonormal[last + 1].data());
          }
    }
}

// w lies in the span of the basis but for a part of 100 roundings: once would leave an angle error of a percent.
TEST_P(ArnoldisMethod, NearlyDependentVectors)
{
  const int    n = 5001, k = 5;
  const double small = 100 * std::numeric_limits<double>::epsilon();
  const auto   basis = orthonormal_basis(n, k + 1);
  Values       w     = combine(small, basis[k], 1, basis[0]);
  for (int i = 1; i < k; ++i)
    w = combine(1, w, 1, basis[i]);
  const std::vector<Values> first(basis.begin(), basis.begin() + k);
  auto                      vectors = table(first);
  auto                      v       = to_device(device, w);
  step(vectors, k, v);
  const Values result = values_of(vectors[k]);
  EXPECT_NEAR(norm(result), 1., rounding<double>);
  for (int i = 0; i < k; ++i)
    EXPECT_NEAR(dot(first[i], result), 0., rounding<double>) << "expected a right angle with vector " << i;
}

TEST_P(ArnoldisMethod, LeavesTheZeroVector)
{
  auto basis = table(orthonormal_basis(100, 3));
  auto w     = to_device(device, Values(100, 0.));
  for (const double coefficient : step(basis, 3, w))
    EXPECT_EQ(coefficient, 0.);
  expect_near(values_of(basis[3]), Values(100, 0.), 0., "w");
}

TYPED_TEST(VectorOperations, StartAtZeroAndKeepWhatIsUploaded)
{
  using Number = typename TestFixture::Number;
  for (const int n : {0, 1, 5000})
    {
      expect_near(values_of(Vector<Number>(this->device, n)), Values(n, 0.), 0., "created");
      const Values x = random_values(n, 1);
      EXPECT_EQ(this->upload(x).size(), n);
      expect_near(values_of(this->upload(x)), x, 0., "uploaded and downloaded");
    }
}

// A GPU is given large arrays in pieces of 16 MiB.
TYPED_TEST(VectorOperations, LargeArraysAreUploaded)
{
  using Number = typename TestFixture::Number;
  for (const int n : {524288, 2097153, 10000001})
    {
      Values x(n);
      for (int i = 0; i < n; ++i)
        x[i] = i % 1000003;
      const Vector<Number> first = this->upload(x);
      std::reverse(x.begin(), x.end());
      const Vector<Number> second = this->upload(x);
      expect_near(values_of(second), x, 0., "uploaded second");
      std::reverse(x.begin(), x.end());
      expect_near(values_of(first), x, 0., "uploaded first");
    }
}

// What is on its way to the host is not changed by what follows.
TEST_P(Snapshots, KeepTheValuesOfTheirTime)
{
  for (const int n : {0, 1, 300000})
    {
      const Values x = random_values(n, 1);
      auto         u = to_device(device, x);
      Snapshot     snapshot(device, n);
      for (const double factor : {1., -2.})
        {
          snapshot.take(u);
          device.scale(-2., u);
          const double *values = snapshot.values();
          expect_near(Values(values, values + n), combine(factor, x, 0, x), rounding<double>, "snapshot");
        }
    }
}

TYPED_TEST(VectorOperations, Arithmetic)
{
  using Number = typename TestFixture::Number;
  for (const int n : {0, 1, 100, 5001})
    {
      SCOPED_TRACE(n);
      const Values x = random_values(n, 1), y = random_values(n, 2);
      auto         u = this->upload(x), v = this->upload(y);
      this->device.axpby(Number(0.75), u, Number(-2), v);
      expect_near(values_of(v), combine(0.75, x, -2, y), this->tolerance, "axpby");
      expect_near(values_of(u), x, 0., "x after axpby");
      auto other = this->unset(n);
      this->device.axpby(Number(0.75), u, Number(0), other);
      expect_near(values_of(other), combine(0.75, x, 0, y), this->tolerance, "axpby, b = 0 with NaN in y");
      this->device.scale(Number(-3), v);
      expect_near(values_of(v), combine(-2.25, x, 6, y), this->tolerance, "scale");
      this->device.copy(u, v);
      expect_near(values_of(v), x, 0., "copy");
      v.set_zero();
      expect_near(values_of(v), Values(n, 0.), 0., "set_zero");
    }
}

TYPED_TEST(VectorOperations, SetZeroClearsNaN)
{
  auto x = this->unset(10);
  x.set_zero();
  expect_near(values_of(x), Values(10, 0.), 0., "set_zero");
}

TYPED_TEST(VectorOperations, DotAndNorms)
{
  for (const int n : {0, 1, 100, 20001})
    {
      SCOPED_TRACE(n);
      const Values x = random_values(n, 1), y = random_values(n, 2);
      const auto   u = this->upload(x), v = this->upload(y);
      Scalars      s(this->device, 2);
      this->device.norms(u, v, s);
      // Sums are in double precision whatever the vectors are.
      EXPECT_NEAR(s.fetch()[0], norm(x), 1e-12 * (n + 1));
      EXPECT_NEAR(s.fetch()[1], norm(y), 1e-12 * (n + 1));
      EXPECT_NEAR(this->device.dot(u, v), dot(x, y), 1e-12 * (n + 1));
    }
}

TYPED_TEST(VectorOperations, NormOfNaNIsNaN)
{
  Values x(5000, 1.);
  x[4321] = nan_value;
  Scalars s(this->device, 2);
  this->device.norms(this->upload(x), this->upload(Values(5000, 1.)), s);
  EXPECT_TRUE(std::isnan(s.fetch()[0]));
  EXPECT_NEAR(s.fetch()[1], std::sqrt(5000.), 1e-10);
}

TYPED_TEST(VectorOperations, Convert)
{
  const Values  x = random_values(5000, 1); // held exactly by float
  Vector<float> s(this->device, 5000);
  this->device.copy(this->upload(x), s);
  expect_near(values_of(s), x, 0., "to single precision");
  auto back = this->unset(5000);
  this->device.copy(s, back);
  expect_near(values_of(back), x, 0., "and back");

  const Values  third(10, 1. / 3);
  Vector<float> rounded(this->device, 10);
  this->device.copy(this->upload(third), rounded);
  expect_near(values_of(rounded), Values(10, static_cast<float>(1. / 3)), 0., "rounded to nearest");
}

TYPED_TEST(VectorOperations, InnerProductsAndSums)
{
  for (const int n : {0, 1, 100, 20001})
    {
      SCOPED_TRACE(n);
      const Values p = random_values(n, 1), q = random_values(n, 2);
      const auto   u = this->upload(p);
      auto         v = this->upload(q);
      Scalars      s(this->device, 4);
      this->device.dot(u, u, s, 2);
      this->device.dot(u, v, s, 1);
      const double *fetched = s.fetch();
      const double  a = dot(p, q), tolerance = this->tolerance * (n + 1);
      EXPECT_NEAR(fetched[2], dot(p, p), 1e-12 * (n + 1));
      EXPECT_NEAR(fetched[1], a, 1e-12 * (n + 1));

      this->device.sums(n, AddAndSum<typename TestFixture::Number>{s.data() + 1, u.data(), v.data()}, s, 0);
      const Values expected = combine(1, q, a, p);
      expect_near(values_of(v), expected, this->tolerance * (1 + std::abs(a)), "y + a x");
      double sums[2];
      this->device.interface().download(sums, s.data(), sizeof(sums));
      EXPECT_NEAR(sums[0], dot(p, expected), tolerance * (1 + std::abs(a)));
      EXPECT_NEAR(sums[1], dot(expected, expected), tolerance * (1 + a * a));
    }
}

TYPED_TEST(VectorOperations, ForEachVisitsEveryIndexOnce)
{
  for (const int n : {0, 1, 5000})
    {
      const Values x = random_values(n, 1);
      auto         u = this->upload(x), v = this->upload(Values(n, 1.));
      this->device.for_each(n, AddSquare<typename TestFixture::Number>{u.data(), v.data()});
      this->device.synchronize();
      Values expected(n);
      for (int i = 0; i < n; ++i)
        expected[i] = 1 + x[i] * x[i] + i;
      expect_near(values_of(v), expected, this->tolerance * std::max(n, 1), "1 + x² + i");
    }
}

TYPED_TEST(VectorOperations, RecordedOperationsRunWhenReplayed)
{
  using Number  = typename TestFixture::Number;
  auto        x = this->upload({1, 2}), y = this->upload({10, 20});
  const Graph graph(this->device, [&] {
    this->device.axpby(Number(1), x, Number(2), y);
    this->device.scale(Number(3), x);
  });
  expect_near(values_of(y), {10, 20}, 0., "y, expected untouched by recording");
  graph.replay();
  expect_near(values_of(y), {21, 42}, 0., "y after one replay");
  graph.replay();
  expect_near(values_of(y), {45, 90}, 0., "y after two replays");
  x.upload(Values{0, 1}.data());
  graph.replay();
  expect_near(values_of(y), {90, 181}, 0., "y, expected to see the new x");
}

// Products and reductions allocate nothing and wait for nothing.
TYPED_TEST(VectorOperations, AllOperationsCanBeRecorded)
{
  using Number    = typename TestFixture::Number;
  const int    n  = 5001;
  const auto   A  = random_matrix(n, n, Rows::equal, 1);
  const auto   on = this->matrix(A);
  const Values x = random_values(n, 2), dense_values = random_values(100 * 100, 3);
  const auto dense = Matrix<Number>::dense(this->device, Array<double>(dense_values.begin(), dense_values.end()), 100);
  const auto run   = [&](auto &&execute) {
    auto       u = this->upload(x), y = this->upload(x), z = this->upload(x), w = this->upload(x);
    auto       small = u.part(0, 100), result = w.part(0, 100);
    Scalars    s(this->device, 4), h(this->device, 2);
    const auto operations = [&] {
      this->device.multiply(Number(0.5), on, u, Number(-1), y);
      this->device.residual(on, y, u, z);
      this->device.multiply(Number(1), dense, small, Number(0), result);
      this->device.dot(y, y, s, 0);
      this->device.dot(z, y, s, 1);
      this->device.sums(n, AddAndSum<Number>{s.data(), z.data(), w.data()}, s, 2);
      this->device.norms(y, w, h);
    };
    execute(operations);
    Values all = values_of(y);
    for (const auto *v : {&z, &w})
      {
        const Values more = values_of(*v);
        all.insert(all.end(), more.begin(), more.end());
      }
    all.insert(all.end(), s.fetch(), s.fetch() + 3);
    all.insert(all.end(), h.fetch(), h.fetch() + 2);
    return all;
  };
  const Values expected = run([](const auto &operations) { operations(); });
  const Values recorded = run([&](const auto &operations) { Graph(this->device, operations).replay(); });
  expect_near(recorded, expected, 0., "expected the same bits from a graph");
}

TYPED_TEST(VectorOperations, HasANameAndAFormat)
{
  EXPECT_FALSE(this->device.name().empty());
  EXPECT_EQ(this->device.matrix_format(),
            this->place == Place::cusparse ? MatrixFormat::cusparse : MatrixFormat::compressed);
}

TEST(HostDevice, RefusesAnImpossibleNumberOfThreads)
{
  EXPECT_THROW(Device::host(0), InputError);
  EXPECT_THROW(Device::host(-3), InputError);
}

// Parts of a vector begin anywhere: entries of 4 and 8 bytes, where a GPU clears 16 at once.
TYPED_TEST(VectorOperations, PartsAreClearedTogetherWithOtherOperations)
{
  using Number     = typename TestFixture::Number;
  const int      n = 100;
  Vector<Number> v = this->upload(Values(n, 1.));
  for (const auto &[first, length] : {std::pair(1, 9), {13, 1}, {20, 8}, {31, 0}, {41, 40}, {99, 1}})
    {
      this->device.together([&, first = first, length = length] {
        auto part = v.part(first, length);
        part.set_zero();
        return 0;
      });
      auto expected = Values(n, 1.);
      std::fill_n(expected.begin() + first, length, 0.);
      expect_near(values_of(v), expected, 0., std::to_string(length) + " entries from " + std::to_string(first));
      v = this->upload(Values(n, 1.));
    }
}

// Sizes that indices cannot count, or that have wrapped already.
TEST(Vectors, RefusesSizesThatIndicesCannotCount)
{
  for (const int n : {std::numeric_limits<int>::max(), std::numeric_limits<int>::max() - 4096, -1})
    expect_error<IndexOverflow>([&] { Vector<double>(Device::host(1), n); }, {"vector", "32-bit"});
}

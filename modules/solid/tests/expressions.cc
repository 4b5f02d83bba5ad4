// Energies that are expressions: against the kinds that are compiled, and one of them against its closed form.
#include "body.h"
#include "support/errors.h"

#include <random>
#include <string>
#include <vector>

using namespace test;
using adamant::parse_energy;
using adamant::test::DeviceTest;

namespace
{
// Gent's energy in closed form.
struct Gent
{
  double mu, limit, bulk;

  EnergyDerivatives shape(const adamant::Invariants &at) const
  {
    const double s = std::pow(1. + at.j, -2. / 3.), left = limit - at.isochoric_1(s);
    return StoredEnergy::of_isochoric({-0.5 * mu * limit * std::log(left / limit),
                                       {0.5 * mu * limit / left, 0., 0.},
                                       {0.5 * mu * limit / (left * left), 0., 0., 0., 0., 0.},
                                       0.},
                                      s, at);
  }
  adamant::VolumetricEnergy volumetric(double j) const
  {
    return StoredEnergy{StoredEnergy::neo_hooke, {mu}, bulk}.volumetric(j);
  }
};

SolidEnergy gent(double bulk)
{
  return parse_energy("Material", "split_expression; mu = 80.194; Jm = 20; W = -mu*Jm/2*ln(1-(I1-3)/Jm); K = " +
                                    std::to_string(bulk) + "; U = K/4*(J^2-1-2*ln(J))");
}

void expect_equal(const EnergyDerivatives &actual, const EnergyDerivatives &expected, double scale)
{
  const auto near = [&](double a, double b) { EXPECT_NEAR(a, b, 1e-13 * std::max(std::abs(b), scale)); };
  near(actual.value, expected.value);
  for (int k = 0; k < 3; ++k)
    near(actual.first[k], expected.first[k]);
  for (int k = 0; k < 6; ++k)
    near(actual.second[k], expected.second[k]);
}

TEST(EnergyExpressions, ValuesAndDerivativesAreThoseOfTheKinds)
{
  std::mt19937                           random(1);
  std::uniform_real_distribution<double> entry(-0.25, 0.25);
  const auto                             expressions = as_expressions();
  // Both parts in one, of the invariants themselves.
  const auto plain = parse_energy("Material", "expression; W = c1*(I1*J^(-2/3)-3)+c2*(I2*J^(-4/3)-3)"
                                              "+K/4*(J^2-1-2*ln(J)); c1 = 30; c2 = 10.097; K = 173.754");
  for (int k = 0; k < 50; ++k)
    {
      Tensor<2, 3> F = unit_symmetric_tensor<3>();
      for (int c = 0; c < 3; ++c)
        for (int d = 0; d < 3; ++d)
          F[c][d] += entry(random);
      const Tensor<2, 3> C  = transpose(F) * F;
      const double       I1 = trace(C), I2 = 0.5 * (I1 * I1 - trace(C * C)), j = determinant(F) - 1.;
      for (std::size_t e = 0; e < energies.size(); ++e)
        {
          SCOPED_TRACE(e);
          expect_equal(whole(expressions[e], I1, I2, j), whole(energies[e], I1, I2, j), mu);
        }
      expect_equal(whole(plain, I1, I2, j), whole(energies[1], I1, I2, j), mu);
      expect_equal(whole(gent(bulk), I1, I2, j), whole(Gent{mu, 20., bulk}, I1, I2, j), mu);
    }
  for (std::size_t e = 0; e < energies.size(); ++e)
    {
      EXPECT_NEAR(expressions[e].shear(), energies[e].shear(), 1e-12 * mu) << e;
      EXPECT_NEAR(expressions[e].bulk, energies[e].bulk, 1e-12 * mu) << e;
      EXPECT_EQ(expressions[e].is_split(), energies[e].is_split()) << e;
    }
}

// Exponents may be constants, with a second derivative that is not zero at rest.
TEST(EnergyExpressions, ExponentsThatAreConstants)
{
  for (const std::string exponent : {"2", "(2)", "2.0", "n"})
    {
      const auto of = parse_energy("Material", "split_expression; W = mu/2*(I1-3)^one; U = K/2*(J-1)^" + exponent +
                                                 "; mu = 3; K = 7; one = 1" + (exponent == "n" ? "; n = 2" : ""));
      EXPECT_NEAR(of.shear(), 3., 1e-14);
      EXPECT_NEAR(of.bulk, 7., 1e-14);
      EXPECT_NEAR(of.volumetric(0.25).second, 7., 1e-14);
    }
}

class Expressions : public DeviceTest
{
protected:
  // The nominal stress of a body that is stretched by 1.5 along x, and Newton's steps.
  std::pair<double, int> stretched(const std::vector<SolidEnergy> &of, bool projected) const
  {
    Body<3> body(device, of, 1, false, 0.05, projected);
    body.set([](const Point<3> &x, unsigned int c) { return c == 0 ? 0.5 * x[0] : 0.; });
    body.state.set_zero(); // the prescribed values alone have changed
    const int  steps   = equilibrate(body);
    const auto stress  = force_on_the_right(body)[0];
    const auto results = body.deformation->results();
    EXPECT_NEAR(results.least_J, results.most_J, 1e-10);
    return {stress, steps};
  }
};
INSTANTIATE_TEST_SUITE_P(Devices, Expressions, adamant::test::all_places, adamant::test::place_name);

TEST_P(Expressions, TensionWithFreeSides)
{
  const auto expressions = as_expressions();
  for (const auto &[e, projected] : {std::pair(1, true), {4, false}})
    {
      SCOPED_TRACE(e);
      const auto [stress, steps]     = stretched({expressions[e]}, projected);
      const auto [expected, as_many] = stretched({energies[e]}, projected);
      EXPECT_NEAR(stress, expected, 1e-11 * expected);
      EXPECT_NEAR(stress, tension(energies[e], 1.5), 1e-10 * stress);
      EXPECT_EQ(steps, as_many);
    }
  const double expected = tension(Gent{mu, 20., 20. * bulk}, 1.5); // no kind
  EXPECT_NEAR(stretched({gent(20. * bulk)}, true).first, expected, 1e-10 * expected);
}

// An expression beside a kind that is compiled, in other cells.
TEST_P(Expressions, TwoMaterials)
{
  const auto   expressions = as_expressions();
  const double expected    = tension(energies[1], 1.5);
  EXPECT_NEAR(stretched({energies[1], expressions[1]}, false).first, expected, 1e-10 * expected);
  EXPECT_NEAR(stretched({expressions[1], energies[1]}, true).first, expected, 1e-10 * expected);
}

// Rounding makes Ī1 less than 3 where the shape does not change: its roots would be no number there.
TEST_P(Expressions, RootsUnderHydrostaticPressure)
{
  const auto energy = parse_energy("Material", "split_expression; W = 3*(I1-3)+2*(I1-3)^1.5; U = 5*(J-1)^2");
  for (const double length : {0.93, 0.95, 0.97, 0.99})
    {
      Body<3> body(device, {energy}, 1, true);
      body.set([=](const Point<3> &x, unsigned int c) { return (length - 1.) * x[c]; });
      body.deformation->residual(body.state, 0., body.load, body.r);
      EXPECT_EQ(body.deformation->n_no_numbers(), 0.) << length;
      EXPECT_NEAR(body.strain_energy(), 5. * std::pow(length * length * length - 1., 2), 1e-12);
    }
}

// Beyond the limit of Gent's energy its derivatives are numbers, with the wrong sign.
TEST_P(Expressions, BeyondTheDomain)
{
  Body<2> body(device, {gent(bulk)}, 1, true);
  for (const double stretch : {6., 12.}) // Ī1 - 3 is 8.5 and 24.9
    {
      body.set([=](const Point<2> &x, unsigned int c) { return c == 0 ? (stretch - 1.) * x[0] : 0.; });
      body.deformation->residual(body.state, 0., body.load, body.r);
      EXPECT_TRUE(std::isfinite(device.dot(body.r, body.r)));
      EXPECT_EQ(body.deformation->n_no_numbers() > 0., stretch > 10.);
      EXPECT_EQ(body.deformation->no_number().find("I1 = ") == 0, stretch > 10.);
    }
}

TEST(EnergyExpressions, WhatIsWrong)
{
  const auto expect = [](const std::string &text, const std::string &part) {
    try
      {
        (void)parse_energy("Material", text);
        ADD_FAILURE() << text << " is taken";
      }
    catch (const adamant::InputError &error)
      {
        EXPECT_NE(std::string(error.what()).find(part), std::string::npos) << error.what();
      }
  };
  expect("expression; mu = 1", "W is missing");
  expect("expression; W = mu/2*(I1-3); mu = 1; U = J-1", "the undeformed body has the stress 2");
  expect("expression; W = mu/2*(I1-3); mu = 1; U = -ln(J)-(J-1)^2", "bulk modulus");
  expect("split_expression; W = mu/2*(I1-3); mu = -1; U = (J-1)^2", "shear modulus");
  expect("split_expression; W = mu/2*(I1-3); mu = 1", "bulk modulus");
  expect("split_expression; W = mu/2*(I1-3)+(J-1)^2; mu = 1", "W of split_expression has I1 and I2 alone");
  expect("split_expression; W = mu/2*(I1-3); mu = 1; U = (J-1)^2; K = 3", "K counts for nothing");
  expect("split_expression; W = mu/2*(I1-3); mu = 1; U = (J-1)^2; J = 3", "J counts for nothing");
  expect("split_expression; W = mu/2*(I1-3); mu = 1; U = (J-1)^2*I1", "I1");
  expect("split_expression; W = mu/2*(I1-3); U = (J-1)^2", "mu");
  expect("split_expression; W = mu/2*(I1-3)/(I2-3); mu = 1; U = (J-1)^2", "no number for I1 = 3");
  expect("split_expression; W = mu/2*(I1-3)+log1p(I1); mu = 1; U = (J-1)^2", "log1p");
  expect("split_expression; W = mu/2*(I1-3; mu = 1; U = (J-1)^2", "Material");
  expect("gent; mu = 80; Jm = 20", "there is no energy 'gent'");
  expect("neo_hooke; E = 1e-320; nu = 0.3", "double precision does not hold");
  expect("neo_hooke; mu = 1e160; K = 1e160", "double precision does not hold");
  expect("neo_hooke; mu = 1; K = 2e9", "K/mu = 2e+09");
  expect("neo_hooke; E = 1; nu = 0.4999999999", "nu too close to 0.5");
}

// Steep energies have derivatives of zero at rest, as powers of zero count, and none near it.
TEST(EnergyExpressions, SteepAtRest)
{
  const std::string split = "split_expression; mu = 3; K = 7; W = mu/2*(I1-3)+", volume = "; U = K/2*(J-1)^2",
                    plain = "expression; mu = 3; K = 7; W = mu/2*(I1-3)-mu*ln(J)+";
  for (const auto &text :
       {split + "sqrt(I1-3)" + volume, split + "0.01*(I2-3)^0.9" + volume, split + "0" + volume + "+0.1*abs(J-1)",
        split + "0" + volume + "+0.001*abs(J-1)^1.5", plain + "sqrt(abs(I1-3))" + volume, plain + "sqrt(I1-3)" + volume,
        plain + "(I2-3)^1.5" + volume, plain + "abs(I1-3)^1.5" + volume})
    adamant::test::expect_error<adamant::InputError>([&] { (void)parse_energy("Material", text); },
                                                     {"Material", "steep at rest"});
  for (const auto &text :
       {split + "(I1-3)^1.5" + volume, split + "2*(I2-3)^1.1" + volume, split + "0" + volume + "+abs(J-1)^2.5",
        split + "0" + volume + "+1e6*(J-1)^3", split + "exp(100*(I1-3))" + volume,
        split + "0; U = K/2*(J-1)^2*(J<1?0.5:1)", split + "-1e-4*ln(1-1e4*(I1-3))" + volume,
        plain + "abs(I1-3)^2.5" + volume, split + "0; U = K*1e-6*ln(cosh(1000*(J-1)))",
        split + "0; U = K*4e-6*(sqrt(1+((J-1)/0.002)^2)-1)"})
    EXPECT_NO_THROW((void)parse_energy("Material", text)) << text;
}

// Where second derivatives are integrated, energies have ten digits.
TEST(EnergyExpressions, EnergiesOfSmallStrains)
{
  const auto expressions = as_expressions();
  for (std::size_t e = 0; e < energies.size(); ++e)
    for (const double h : {1e-9, 1e-7, 1e-6, 4e-6})
      {
        Tensor<2, 3> F = unit_symmetric_tensor<3>();
        F[0][0] += h;
        F[1][2] -= 0.3 * h;
        F[2][2] -= 0.5 * h;
        const Tensor<2, 3>        H       = F - Tensor<2, 3>(unit_symmetric_tensor<3>());
        const Tensor<2, 3>        G       = H + transpose(H) + transpose(H) * H;
        const double              trace_G = trace(G);
        const Tensor<2, 3>        D       = G - trace_G / 3. * Tensor<2, 3>(unit_symmetric_tensor<3>());
        const adamant::Invariants at{trace_G, 0.5 * scalar_product(D, D), determinant(D), trace(H) + H[0][0] * H[2][2]};
        const double              expected = energies[e].shape(at).value + energies[e].volumetric(at.j).value,
                     found                 = expressions[e].shape(at).value + expressions[e].volumetric(at.j).value;
        EXPECT_NEAR(found, expected, 1e-9 * expected) << e << ", " << h;
      }
}
} // namespace

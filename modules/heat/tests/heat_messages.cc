// What the equation of a temperature notes and refuses.
#include "flow.h"

#include "base/exceptions.h"

#include <functional>
#include <set>
#include <string>

using namespace test;

namespace
{
class HeatMessages : public adamant::test::DeviceTest
{
};

// The text of notes that `work` prints.
std::string notes_of(const std::function<void()> &work)
{
  testing::internal::CaptureStdout();
  try
    {
      work();
    }
  catch (...)
    {
      testing::internal::GetCapturedStdout(); // else the next test could not print
      throw;
    }
  return testing::internal::GetCapturedStdout();
}

double to_the_right(const Point<2> &, int c)
{
  return 1. - c;
}

TEST_P(HeatMessages, WantsTemperaturesWhereFluidEnters)
{
  Flow<2>        flow(device, 3, true);
  adamant::Notes notes;
  const auto     u                      = flow.flow(to_the_right);
  flow.parameters.boundaries.prescribed = {{2, "0"}};
  flow.start("0");
  flow.heat->watch(notes, {0, 1, 2, 3}, {});
  EXPECT_THROW(flow.heat->check_start(u), adamant::InputError);
  flow.heat->watch(notes, {1, 2}, {0, 3});
  EXPECT_NO_THROW(flow.heat->check_start(u));
  EXPECT_NE(notes_of([&] { flow.heat->advance(0.1, 0.1, u); }).find("enters through boundary 0"), std::string::npos);
  EXPECT_EQ(notes_of([&] { flow.heat->advance(0.2, 0.1, u); }), "") << "expected one note of a kind";
  for (const bool by_flux : {false, true})
    {
      flow.parameters.boundaries.prescribed = {{2, "0"}, {by_flux ? 3U : 0U, "0"}};
      flow.parameters.boundaries.flux.clear();
      if (by_flux)
        flow.parameters.boundaries.flux = {{0, "1"}};
      flow.start("0");
      flow.heat->watch(notes, {0, 1, 2, 3}, {});
      EXPECT_NO_THROW(flow.heat->check_start(u));
    }
}

TEST_P(HeatMessages, NotesHeatWithoutAWayOut)
{
  const auto notes_with = [this](const std::string &heating, const std::set<unsigned int> &open) {
    Flow<2>        flow(device, 3, true);
    adamant::Notes notes;
    flow.parameters.heating = heating;
    flow.start("0");
    flow.heat->watch(notes, {}, open);
    return notes_of([&] { flow.heat->check_start(flow.flow(at_rest)); });
  };
  EXPECT_NE(notes_with("2", {}).find("has no way out: with 2"), std::string::npos);
  EXPECT_NE(notes_with("-2", {}).find("falls without end"), std::string::npos);
  EXPECT_EQ(notes_with("2", {1}), "");
  EXPECT_EQ(notes_with("x-0.5", {}), "");
}

// A front that Galerkin's method does not resolve.
TEST_P(HeatMessages, NotesValuesOutOfRange)
{
  const auto notes_with = [this](const std::string &heating) {
    Flow<2>        flow(device, 3, true);
    adamant::Notes notes;
    flow.parameters.advection             = "galerkin";
    flow.parameters.diffusivity           = 1e-3;
    flow.parameters.heating               = heating;
    flow.parameters.boundaries.prescribed = {{0, "0"}, {1, "1"}};
    flow.start("0");
    flow.heat->watch(notes, {}, {});
    return notes_of([&] {
      for (int k = 1; k < 4; ++k)
        flow.heat->advance(0.05 * k, 0.05, flow.flow(to_the_right));
    });
  };
  const auto note = notes_with("0");
  EXPECT_NE(note.find("prescribed values between 0 and 1"), std::string::npos) << note;
  EXPECT_NE(note.find("Peclet number of cells |u| h/kappa of 125"), std::string::npos) << note;
  EXPECT_NE(note.find("Advection = supg"), std::string::npos) << note;
  EXPECT_EQ(note.find("note:"), note.rfind("note:")) << "expected one";
}

TEST_P(HeatMessages, RefusesWhatIsNoNumber)
{
  Flow<2> flow(device, 2, false);
  flow.parameters.heating = "1/(x-x)";
  EXPECT_THROW(flow.start("0"), adamant::InputError);
  flow.parameters.heating         = "0";
  flow.parameters.boundaries.flux = {{0, "log(-1-y)"}};
  EXPECT_THROW(flow.start("0"), adamant::InputError);
}

INSTANTIATE_TEST_SUITE_P(Devices, HeatMessages, adamant::test::all_places, adamant::test::place_name);
} // namespace

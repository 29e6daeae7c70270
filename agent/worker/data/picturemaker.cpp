// SPDX-License-Identifier: MIT
#include "agent/worker/data/picturemaker.h"

#include "agent/worker/data/random.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

namespace ringside {

namespace {

constexpr int kFieldPairs = 6;
constexpr int kShapes = 6;
constexpr float kNoise = 42;      ///< deviation of luminance, of 255; sets the size of the files
constexpr float kColourNoise = 9; ///< deviation of the colour differences
constexpr float kEdge = 35;       ///< largest step in luminance at a shape's edge
constexpr float kGrating = 10;    ///< amplitude of the class's grating
constexpr float kPeriod = 22;     ///< pixels from crest to crest
constexpr float kHue = 14;        ///< distance of a class's mean colour from grey

std::uint8_t toByte(float value)
{
    return std::uint8_t(std::clamp(value, 0.0F, 255.0F));
}

/// A noise field, seen from somewhere.
struct View
{
    const NoiseField* field = nullptr;
    int x = 0;
    int y = 0;

    View(const std::vector<NoiseField>& fields, Random& random)
        : field(&fields[std::size_t(random.below(int(fields.size())))])
        , x(random.below(NoiseField::kSize))
        , y(random.below(NoiseField::kSize))
    {
    }
    float at(const float* row, int column) const { return row[(column + x) & (NoiseField::kSize - 1)]; }
    const float* row(int line) const { return field->row(line + y); }
};

} // namespace

/// An ellipse with a luminance and a colour of its own.
struct PictureMaker::Shape
{
    float x, y, width, height;
    float light, blue, red;

    bool holds(float atX, float atY) const
    {
        const float dx = (atX - x) / width;
        const float dy = (atY - y) / height;
        return dx * dx + dy * dy < 1;
    }
};

struct PictureMaker::Scene
{
    View light, colour;
    std::array<Shape, kShapes> shapes;
    float gratingX, gratingY; ///< radians per pixel
    float blue, red;          ///< mean colour differences
};

PictureMaker::PictureMaker(std::uint64_t seed, int classes)
    : m_seed(seed)
    , m_classes(classes)
    , m_fields(makeNoiseFields(kFieldPairs, seed))
{
}

PictureMaker::Scene PictureMaker::sceneOf(std::uint64_t index, int label, const YccPicture& picture) const
{
    Random random(m_seed, index);
    const double turn = std::numbers::pi * label / m_classes;
    const View light(m_fields, random);
    const View colour(m_fields, random);
    Scene scene{light, colour, {}, 0, 0, 0, 0};
    scene.gratingX = float(2 * std::numbers::pi / kPeriod * std::cos(turn));
    scene.gratingY = float(2 * std::numbers::pi / kPeriod * std::sin(turn));
    scene.blue = 128 + kHue * float(std::cos(2 * turn));
    scene.red = 128 + kHue * float(std::sin(2 * turn));
    const auto draw = [&](double low, double high) { return float(random.between(low, high)); };
    for (Shape& shape : scene.shapes)
        shape = {draw(0, picture.width),
                 draw(0, picture.height),
                 draw(20, 160),
                 draw(20, 160),
                 draw(-kEdge, kEdge),
                 draw(-kColourNoise, kColourNoise),
                 draw(-kColourNoise, kColourNoise)};
    return scene;
}

void PictureMaker::paintRow(const Scene& scene, int y, std::uint8_t* pixels, int width)
{
    const float* light = scene.light.row(y);
    const float* colour = scene.colour.row(y);
    static constexpr Shape kBackground{};
    for (int x = 0; x < width; ++x) {
        const auto covering = [&](const Shape& shape) { return shape.holds(float(x), float(y)); };
        const auto found = std::find_if(scene.shapes.begin(), scene.shapes.end(), covering);
        const Shape& shape = found == scene.shapes.end() ? kBackground : *found;
        const float noise = scene.light.at(light, x);
        const float tint = kColourNoise * (scene.colour.at(colour, x) + 0.5F * noise);
        const float grating = kGrating * std::sin(scene.gratingX * float(x) + scene.gratingY * float(y));
        *pixels++ = toByte(120 + kNoise * noise + shape.light + grating);
        *pixels++ = toByte(scene.blue + shape.blue - tint);
        *pixels++ = toByte(scene.red + shape.red + tint);
    }
}

void PictureMaker::make(std::uint64_t index, int label, YccPicture& picture) const
{
    const Scene scene = sceneOf(index, label, picture);
    picture.pixels.resize(std::size_t(3) * picture.width * picture.height);
    for (int y = 0; y < picture.height; ++y)
        paintRow(scene, y, picture.pixels.data() + std::size_t(3) * picture.width * y, picture.width);
}

} // namespace ringside

// SPDX-License-Identifier: MIT
// Inception-v3: C. Szegedy et al., "Rethinking the Inception Architecture for Computer Vision", arXiv:1512.00567, with
// the layers of torchvision. Both are written for images of 299 pixels; here the side is that of the run, whose
// default, 224, is the same for all models. Its auxiliary classifier is left out, as GoogLeNet's are: what trains is
// what is used afterwards, 23,834,568 parameters. With it there would be 27,161,264, and ranks would exchange 109 MB of
// gradients in place of 95 MB.
#include "agent/worker/models/layers.h"
#include "agent/worker/models/models.h"

#include <utility>

namespace ringside {

namespace {

/// N(0, 0.1²). torchvision cuts it off at 2, which is 20 deviations away.
at::Tensor normal(at::IntArrayRef sizes, const Fan&)
{
    constexpr double deviation = 0.1;
    return at::empty(sizes).normal_(0, deviation);
}

constexpr Norming kNorming = {normal, 1e-3};

NormedConvolution makeUnit(Model& model, const std::string& name, const ConvolutionShape& shape)
{
    return {model, name + ".conv", name + ".bn", shape, kNorming};
}

at::Tensor pass(const NormedConvolution& unit, const at::Tensor& x)
{
    return unit.relu(x);
}

/// With a stride of 1 the picture's size does not change; with one of 2 nothing is added at its edge.
struct UnitShape
{
    const char* name;
    std::int64_t out;
    Extent kernel = 1;
    std::int64_t stride = 1;

    ConvolutionShape after(std::int64_t in) const
    {
        const Extent edge = stride == 1 ? Extent(kernel.height / 2, kernel.width / 2) : Extent(0);
        return {.in = in, .out = out, .kernel = kernel, .stride = stride, .padding = edge};
    }
};

enum class Pooling
{
    none,
    mean,
    halving
};

/// Pooling, then one convolution after the other; all `ends` read the output of the last of these.
struct BranchShape
{
    Pooling pooling = Pooling::none;
    std::vector<UnitShape> chain = {};
    std::vector<UnitShape> ends = {};
};

using ModuleShape = std::vector<BranchShape>;

constexpr Extent kAlong = {1, 7};
constexpr Extent kAcross = {7, 1};

/// Figure 5 of the paper.
ModuleShape shapeA(std::int64_t pooled)
{
    return {{.chain = {{"branch1x1", 64}}},
            {.chain = {{"branch5x5_1", 48}, {"branch5x5_2", 64, 5}}},
            {.chain = {{"branch3x3dbl_1", 64}, {"branch3x3dbl_2", 96, 3}, {"branch3x3dbl_3", 96, 3}}},
            {.pooling = Pooling::mean, .chain = {{"branch_pool", pooled}}}};
}

ModuleShape shapeB()
{
    return {{.chain = {{"branch3x3", 384, 3, 2}}},
            {.chain = {{"branch3x3dbl_1", 64}, {"branch3x3dbl_2", 96, 3}, {"branch3x3dbl_3", 96, 3, 2}}},
            {.pooling = Pooling::halving}};
}

/// Figure 6.
ModuleShape shapeC(std::int64_t width)
{
    return {{.chain = {{"branch1x1", 192}}},
            {.chain = {{"branch7x7_1", width}, {"branch7x7_2", width, kAlong}, {"branch7x7_3", 192, kAcross}}},
            {.chain = {{"branch7x7dbl_1", width},
                       {"branch7x7dbl_2", width, kAcross},
                       {"branch7x7dbl_3", width, kAlong},
                       {"branch7x7dbl_4", width, kAcross},
                       {"branch7x7dbl_5", 192, kAlong}}},
            {.pooling = Pooling::mean, .chain = {{"branch_pool", 192}}}};
}

ModuleShape shapeD()
{
    return {{.chain = {{"branch3x3_1", 192}, {"branch3x3_2", 320, 3, 2}}},
            {.chain = {{"branch7x7x3_1", 192},
                       {"branch7x7x3_2", 192, kAlong},
                       {"branch7x7x3_3", 192, kAcross},
                       {"branch7x7x3_4", 192, 3, 2}}},
            {.pooling = Pooling::halving}};
}

/// Figure 7.
ModuleShape shapeE()
{
    return {{.chain = {{"branch1x1", 320}}},
            {.chain = {{"branch3x3_1", 384}}, .ends = {{"branch3x3_2a", 384, {1, 3}}, {"branch3x3_2b", 384, {3, 1}}}},
            {.chain = {{"branch3x3dbl_1", 448}, {"branch3x3dbl_2", 384, 3}},
             .ends = {{"branch3x3dbl_3a", 384, {1, 3}}, {"branch3x3dbl_3b", 384, {3, 1}}}},
            {.pooling = Pooling::mean, .chain = {{"branch_pool", 192}}}};
}

class Branch
{
public:
    Branch(Model& model, const std::string& module, std::int64_t in, const BranchShape& shape)
        : m_pooling(shape.pooling)
        , m_out(in)
    {
        for (const auto& unit : shape.chain) {
            m_chain.push_back(makeUnit(model, module + "." + unit.name, unit.after(m_out)));
            m_out = unit.out;
        }
        if (shape.ends.empty())
            return;
        const std::int64_t split = std::exchange(m_out, 0);
        for (const auto& unit : shape.ends) {
            m_ends.push_back(makeUnit(model, module + "." + unit.name, unit.after(split)));
            m_out += unit.out;
        }
    }

    std::int64_t out() const { return m_out; }

    /// Adds its outputs to `parts`, which are joined side by side.
    void operator()(at::Tensor x, std::vector<at::Tensor>& parts) const
    {
        x = pooled(x);
        for (const auto& unit : m_chain)
            x = pass(unit, x);
        for (const auto& unit : m_ends)
            parts.push_back(pass(unit, x));
        if (m_ends.empty())
            parts.push_back(x);
    }

private:
    at::Tensor pooled(const at::Tensor& x) const
    {
        if (m_pooling == Pooling::mean)
            return at::avg_pool2d(x, {3, 3}, {1, 1}, {1, 1});
        return m_pooling == Pooling::halving ? maxPool(x, 3, 2) : x;
    }

    Pooling m_pooling;
    std::int64_t m_out;
    std::vector<NormedConvolution> m_chain;
    std::vector<NormedConvolution> m_ends;
};

class Module
{
public:
    Module(Model& model, const std::string& name, std::int64_t in, const ModuleShape& shape)
    {
        for (const auto& branch : shape)
            m_out += m_branches.emplace_back(model, name, in, branch).out();
    }

    std::int64_t out() const { return m_out; }

    at::Tensor operator()(const at::Tensor& x) const
    {
        std::vector<at::Tensor> parts;
        for (const auto& branch : m_branches)
            branch(x, parts);
        return at::cat(parts, 1);
    }

private:
    std::vector<Branch> m_branches;
    std::int64_t m_out = 0;
};

class InceptionV3 : public Model
{
public:
    explicit InceptionV3(const ModelOptions& options)
        : m_dropout(options.dropout)
        , m_modules(makeModules(*this))
        , m_classifier(*this, "fc", m_modules.back().out(), options.classes, {normal, uniformByFanIn})
    {
    }

    at::Tensor forward(const at::Tensor& images) override
    {
        auto x = pass(m_stem3, pass(m_stem2, pass(m_stem1, images)));
        x = pass(m_stem5, pass(m_stem4, maxPool(x, 3, 2)));
        x = maxPool(x, 3, 2);
        for (const auto& module : m_modules)
            x = module(x);
        return m_classifier(dropout(at::adaptive_avg_pool2d(x, {1, 1}).flatten(1), m_dropout));
    }

private:
    static constexpr std::int64_t kStemOut = 192;

    static std::vector<Module> makeModules(Model& model)
    {
        std::vector<Module> modules;
        std::int64_t in = kStemOut;
        const auto add = [&](const char* name, const ModuleShape& shape) {
            in = modules.emplace_back(model, name, in, shape).out();
        };
        add("Mixed_5b", shapeA(32));
        add("Mixed_5c", shapeA(64));
        add("Mixed_5d", shapeA(64));
        add("Mixed_6a", shapeB());
        add("Mixed_6b", shapeC(128));
        add("Mixed_6c", shapeC(160));
        add("Mixed_6d", shapeC(160));
        add("Mixed_6e", shapeC(192));
        add("Mixed_7a", shapeD());
        add("Mixed_7b", shapeE());
        add("Mixed_7c", shapeE());
        return modules;
    }

    double m_dropout;
    NormedConvolution m_stem1 = makeUnit(*this, "Conv2d_1a_3x3", {.in = 3, .out = 32, .kernel = 3, .stride = 2});
    NormedConvolution m_stem2 = makeUnit(*this, "Conv2d_2a_3x3", {.in = 32, .out = 32, .kernel = 3});
    NormedConvolution m_stem3 = makeUnit(*this, "Conv2d_2b_3x3", {.in = 32, .out = 64, .kernel = 3, .padding = 1});
    NormedConvolution m_stem4 = makeUnit(*this, "Conv2d_3b_1x1", {.in = 64, .out = 80});
    NormedConvolution m_stem5 = makeUnit(*this, "Conv2d_4a_3x3", {.in = 80, .out = kStemOut, .kernel = 3});
    std::vector<Module> m_modules;
    Linear m_classifier;
};

} // namespace

std::unique_ptr<Model> makeInceptionV3(const ModelOptions& options)
{
    return std::make_unique<InceptionV3>(options);
}

} // namespace ringside

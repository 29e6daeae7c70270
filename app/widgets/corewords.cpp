// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/widgets/corewords.h"

#include "app/widgets/text.h"

#include "core/spec/experiment.h"

#include <QCoreApplication>
#include <string>

namespace ringside {

namespace {

constexpr const char* kWords[] = {
    // settings and their descriptions
    QT_TRANSLATE_NOOP("core", "Batch per rank"),
    QT_TRANSLATE_NOOP("core", "Batches in the ring, the one in use included; 1: nothing is read ahead."),
    QT_TRANSLATE_NOOP("core", "Cores per rank"),
    QT_TRANSLATE_NOOP("core", "Cores that a rank and its threads are bound to."),
    QT_TRANSLATE_NOOP("core", "Data folder"),
    QT_TRANSLATE_NOOP("core", "Data"),
    QT_TRANSLATE_NOOP("core", "Decode threads"),
    QT_TRANSLATE_NOOP("core", "Device"),
    QT_TRANSLATE_NOOP("core", "Dropout"),
    QT_TRANSLATE_NOOP("core", "Engine"),
    QT_TRANSLATE_NOOP("core", "File cache"),
    QT_TRANSLATE_NOOP("core",
                      "Folder on the site: one folder of JPEG files per class, or where synthetic files are kept."),
    QT_TRANSLATE_NOOP("core", "Global batch"),
    QT_TRANSLATE_NOOP("core", "How the gradients of all ranks are combined; on one rank always none."),
    QT_TRANSLATE_NOOP("core", "Image size"),
    QT_TRANSLATE_NOOP("core", "Images per iteration on all ranks; held fixed, scaling is strong."),
    QT_TRANSLATE_NOOP("core", "Images per iteration on each rank; held fixed, scaling is weak."),
    QT_TRANSLATE_NOOP("core", "Layout"),
    QT_TRANSLATE_NOOP("core", "Learning rate"),
    QT_TRANSLATE_NOOP("core", "Machines that the ranks are spread over."),
    QT_TRANSLATE_NOOP("core", "Model"),
    QT_TRANSLATE_NOOP("core", "Momentum of the optimizer."),
    QT_TRANSLATE_NOOP("core", "Momentum"),
    QT_TRANSLATE_NOOP("core", "Nodes"),
    QT_TRANSLATE_NOOP("core", "Number format of the computation."),
    QT_TRANSLATE_NOOP("core",
                      "Numbers made in memory, JPEG files that Ringside writes once, or your own class folders."),
    QT_TRANSLATE_NOOP("core", "Order of the dimensions of pictures and filters in memory."),
    QT_TRANSLATE_NOOP("core", "Plan"),
    QT_TRANSLATE_NOOP("core", "Precision"),
    QT_TRANSLATE_NOOP("core", "Prefetched batches"),
    QT_TRANSLATE_NOOP("core", "Ranks on each machine."),
    QT_TRANSLATE_NOOP("core", "Ranks per node"),
    QT_TRANSLATE_NOOP("core", "Ranks"),
    QT_TRANSLATE_NOOP("core", "Share of numbers that layers with dropout (AlexNet) leave out; 0 switches it off."),
    QT_TRANSLATE_NOOP("core", "Side of the square picture that the model sees."),
    QT_TRANSLATE_NOOP("core", "Step of the optimizer (SGD)."),
    QT_TRANSLATE_NOOP("core", "The network that is trained."),
    QT_TRANSLATE_NOOP("core", "The program that trains."),
    QT_TRANSLATE_NOOP("core", "Threads of a rank that read and decode pictures, inside its cores."),
    QT_TRANSLATE_NOOP("core", "Weight decay of the optimizer."),
    QT_TRANSLATE_NOOP("core", "Weight decay"),
    QT_TRANSLATE_NOOP("core", "What a rank computes on."),
    QT_TRANSLATE_NOOP("core", "Whether the files are in memory (warmed) or on the disk (cold) when a run starts."),
    QT_TRANSLATE_NOOP("core", "World size: processes that train together."),
    // units
    QT_TRANSLATE_NOOP("core", "batches"),
    QT_TRANSLATE_NOOP("core", "cores"),
    QT_TRANSLATE_NOOP("core", "images"),
    QT_TRANSLATE_NOOP("core", "nodes"),
    QT_TRANSLATE_NOOP("core", "pixels"),
    QT_TRANSLATE_NOOP("core", "ranks"),
    QT_TRANSLATE_NOOP("core", "threads"),
    // phases and devices
    QT_TRANSLATE_NOOP("core", "Input wait"),
    QT_TRANSLATE_NOOP("core", "Host to device"),
    QT_TRANSLATE_NOOP("core", "Forward"),
    QT_TRANSLATE_NOOP("core", "Backward"),
    QT_TRANSLATE_NOOP("core", "Communication, exposed"),
    QT_TRANSLATE_NOOP("core", "Update"),
    QT_TRANSLATE_NOOP("core", "Other"),
    QT_TRANSLATE_NOOP("core", "CPU ranks"),
    QT_TRANSLATE_NOOP("core", "GPUs"),
};

class SiteWords
{
    Q_DECLARE_TR_FUNCTIONS(ringside::SiteWords)
public:
    static QString title() { return tr("This computer"); }
    static QString inSentence() { return tr("this computer", "within a sentence"); }
};

} // namespace

QString coreText(std::string_view english)
{
    return QCoreApplication::translate("core", std::string(english).c_str());
}

std::span<const char* const> coreWords()
{
    return kWords;
}

QString siteName(std::string_view site)
{
    return site == spec::kLocalSite ? SiteWords::title() : toQt(site);
}

QString siteInSentence(std::string_view site)
{
    return site == spec::kLocalSite ? SiteWords::inSentence() : toQt(site);
}

} // namespace ringside

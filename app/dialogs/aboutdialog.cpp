// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/dialogs/dialogs.h"

#include "app/widgets/arrange.h"
#include "app/widgets/labels.h"
#include "app/widgets/styled.h"

#include <QCoreApplication>
#include <QDialog>
#include <QDialogButtonBox>
#include <QIcon>
#include <QPlainTextEdit>

namespace ringside {

namespace {

struct Library
{
    const char* name;
    const char* licence;
};

constexpr Library kLibraries[] = {
    {"Qt, Qt Charts", "GPL-3.0"},
    {"QtKeychain", "BSD-2-Clause"},
    {"libssh", "LGPL-2.1"},
    {"Zstandard", "BSD-3-Clause"},
    {"SQLite", "public domain"},
    {"SQLiteCpp", "MIT"},
    {"Cap'n Proto", "MIT"},
    {"toml++", "MIT"},
    {"JSON for Modern C++", "MIT"},
    {"{fmt}", "MIT"},
    {"CLI11", "BSD-3-Clause"},
    {"tl::expected", "CC0-1.0"},
    {"Boost.Math", "BSL-1.0"},
    {"libtorch (worker)", "BSD-3-Clause"},
    {"Open MPI (worker)", "BSD-3-Clause"},
    {"libjpeg-turbo (worker)", "IJG and BSD-3-Clause"},
    {"Roboto", "Apache-2.0"},
    {"JetBrains Mono", "OFL-1.1"},
};

class AboutDialog : public QDialog
{
    Q_DECLARE_TR_FUNCTIONS(ringside::AboutDialog)
public:
    explicit AboutDialog(QWidget* parent)
        : QDialog(parent)
    {
        setAttribute(Qt::WA_DeleteOnClose);
        setWindowTitle(tr("About Ringside"));
        setMinimumWidth(520);
        auto* layout = fillColumn(
            this,
            {head(),
             makeParagraph(LabelKind::text,
                           tr("The window is free software under the GNU General Public License, version 3 or later; "
                              "core, agent and worker are under the MIT licence.")),
             makeLabel(LabelKind::strong, tr("Citation")),
             block(
                 tr("Ringside %1: distributed training experiments, measured and compared.", "citation").arg(version()),
                 3),
             makeLabel(LabelKind::strong, tr("Libraries")), block(libraries(), 8)},
            space::kGap, {20, 16, 20, 16});
        auto* box = new QDialogButtonBox(QDialogButtonBox::Close);
        connect(box, &QDialogButtonBox::rejected, this, &QDialog::reject);
        layout->addWidget(box);
    }

private:
    static QString version() { return QCoreApplication::applicationVersion(); }

    static QString libraries()
    {
        QStringList lines;
        for (const auto& [name, licence] : kLibraries)
            lines << QStringLiteral("%1: %2").arg(QLatin1String(name), QLatin1String(licence));
        return lines.join(QLatin1Char('\n'));
    }

    static QLayout* head()
    {
        auto* icon = new QLabel;
        icon->setPixmap(QIcon(QStringLiteral(":/icons/app/ringside.svg")).pixmap(48, 48));
        auto* words = makeColumn(
            {makeLabel(LabelKind::pageTitle, tr("Ringside %1", "version").arg(version())),
             makeLabel(LabelKind::caption, tr("Set up, launch, watch and compare distributed training experiments"))});
        return makeRow({icon, {words, 1}}, 16);
    }

    static QWidget* block(const QString& text, int lines)
    {
        auto* edit = new QPlainTextEdit(text);
        edit->setReadOnly(true);
        edit->setTabChangesFocus(true);
        edit->setFixedHeight(edit->fontMetrics().lineSpacing() * lines + 16);
        return edit;
    }
};

} // namespace

void showAbout(QWidget* parent)
{
    (new AboutDialog(parent))->open();
}

} // namespace ringside

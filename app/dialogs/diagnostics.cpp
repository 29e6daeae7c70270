// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/dialogs/dialogs.h"

#include "app/session/session.h"
#include "app/shell/shell.h"
#include "app/widgets/labels.h"
#include "app/widgets/numbers.h"
#include "app/widgets/styled.h"
#include "app/widgets/text.h"

#include <QClipboard>
#include <QDialog>
#include <QDialogButtonBox>
#include <QFileDialog>
#include <QFontInfo>
#include <QGuiApplication>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QScreen>
#include <QSysInfo>
#include <QVBoxLayout>

namespace ringside {

namespace {

class Diagnostics : public QDialog
{
    Q_DECLARE_TR_FUNCTIONS(ringside::Diagnostics)
public:
    Diagnostics(const PageContext& context, QWidget* parent)
        : QDialog(parent)
        , m_context(context)
        , m_text(new QPlainTextEdit)
        , m_result(makeParagraph(LabelKind::caption))
    {
        setAttribute(Qt::WA_DeleteOnClose);
        setWindowTitle(tr("Diagnostics"));
        resize(640, 480);
        m_text->setReadOnly(true);
        m_text->setFont(monospaceFont(QGuiApplication::font()));
        m_text->setPlainText(report());
        auto* layout = new QVBoxLayout(this);
        layout->setContentsMargins(20, 16, 20, 16);
        layout->setSpacing(space::kGap);
        layout->addWidget(m_text, 1);
        m_result->setText(tr("The report contains host and user names, no passwords."));
        layout->addWidget(m_result);
        layout->addWidget(buttons());
    }

private:
    QString report() const
    {
        const auto* screen = QGuiApplication::primaryScreen();
        const auto& store = m_context.session.store();
        QStringList lines;
        const auto add = [&lines](const QString& name, const QString& value) {
            lines << name + QStringLiteral(": ") + value;
        };
        add(QStringLiteral("Ringside"), QCoreApplication::applicationVersion());
        add(QStringLiteral("Qt"), QLatin1String(qVersion()) + QStringLiteral(", ") + QGuiApplication::platformName());
        add(QStringLiteral("System"), QSysInfo::prettyProductName() + QStringLiteral(", ") + QSysInfo::kernelVersion());
        add(QStringLiteral("Screen"), QStringLiteral("%1×%2 at %3")
                                          .arg(screen->size().width())
                                          .arg(screen->size().height())
                                          .arg(screen->devicePixelRatio()));
        add(QStringLiteral("Text font"), QFontInfo(QGuiApplication::font()).family());
        add(QStringLiteral("Monospace font"), QFontInfo(m_text->font()).family());
        add(QStringLiteral("Database"), toQt(store));
        add(QStringLiteral("Access"), accessName());
        const auto& obstacle = m_context.session.obstacle();
        if (!obstacle.message.empty())
            add(QStringLiteral("Obstacle"), messageOf(obstacle));
        return lines.join(QLatin1Char('\n'));
    }

    QString accessName() const
    {
        switch (m_context.session.access()) {
        case Session::Access::none:
            return QStringLiteral("none");
        case Session::Access::opening:
            return QStringLiteral("opening");
        case Session::Access::writing:
            return QStringLiteral("writing");
        case Session::Access::reading:
            return QStringLiteral("reading");
        }
        return {};
    }

    QWidget* buttons()
    {
        auto* box = new QDialogButtonBox(QDialogButtonBox::Close);
        auto* copy = box->addButton(tr("Copy report"), QDialogButtonBox::ActionRole);
        auto* save = box->addButton(tr("Save report…"), QDialogButtonBox::ActionRole);
        connect(copy, &QPushButton::clicked, this,
                [this] { QGuiApplication::clipboard()->setText(m_text->toPlainText()); });
        connect(save, &QPushButton::clicked, this, [this] { askWhere(); });
        connect(box, &QDialogButtonBox::rejected, this, &QDialog::reject);
        return box;
    }

    void askWhere()
    {
        auto* dialog = new QFileDialog(this, tr("Save report"), QStringLiteral("ringside-report.txt"));
        dialog->setAttribute(Qt::WA_DeleteOnClose);
        dialog->setAcceptMode(QFileDialog::AcceptSave);
        connect(dialog, &QFileDialog::fileSelected, this, [this](const QString& path) {
            const auto written = writeFileAtomically(toPath(path), toUtf8(m_text->toPlainText()));
            m_result->setText(written ? tr("Saved as %1.").arg(shortPath(path)) : messageOf(written.error()));
        });
        dialog->open();
    }

    const PageContext& m_context;
    QPlainTextEdit* m_text;
    QLabel* m_result;
};

} // namespace

void showDiagnostics(const PageContext& context, QWidget* parent)
{
    (new Diagnostics(context, parent))->open();
}

} // namespace ringside

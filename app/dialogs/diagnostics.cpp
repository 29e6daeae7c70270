// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/dialogs/dialogs.h"

#include "app/session/session.h"
#include "app/shell/shell.h"
#include "app/shell/workingdialog.h"
#include "app/text/text.h"
#include "app/widgets/arrange.h"
#include "app/widgets/corewords.h"
#include "app/widgets/labels.h"
#include "app/widgets/numbers.h"
#include "app/widgets/styled.h"

#include "core/store/schema.h"

#include <QClipboard>
#include <QDialogButtonBox>
#include <QFileDialog>
#include <QFontInfo>
#include <QGuiApplication>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QScreen>
#include <QSysInfo>

namespace ringside {

namespace {

class Diagnostics : public WorkingDialog
{
    Q_DECLARE_TR_FUNCTIONS(ringside::Diagnostics)
public:
    Diagnostics(const PageContext& context, const Reports& reports, QWidget* parent)
        : WorkingDialog("report", parent)
        , m_context(context)
        , m_reports(reports)
        , m_text(new QPlainTextEdit)
        , m_result(makeParagraph(LabelKind::caption))
    {
        setWindowTitle(tr("Diagnostics"));
        resize(640, 480);
        m_text->setReadOnly(true);
        m_text->setFont(monospaceFont(QGuiApplication::font()));
        m_text->setPlainText(report());
        auto* layout = fillColumn(this, {{m_text, 1}}, space::kGap, {20, 16, 20, 16});
        m_result->setText(tr("The report contains host and user names, no passwords."));
        layout->addWidget(m_result);
        layout->addWidget(buttons());
        measureDatabase();
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
        add(QStringLiteral("Access"), toQt(nameOf(m_context.session.access())));
        const auto& obstacle = m_context.session.obstacle();
        if (!obstacle.message.empty())
            add(QStringLiteral("Obstacle"), messageOf(obstacle));
        if (isOpen())
            add(QStringLiteral("Schema"), QString::number(store::currentSchema()));
        if (m_databaseBytes)
            add(QStringLiteral("Database size"), QStringLiteral("%1 bytes").arg(*m_databaseBytes));
        for (const auto& [name, site] : m_reports.sites)
            add(siteName(name), toQt(nameOf(site.contact)) + QStringLiteral(", ") + toQt(site.text));
        lines << QString() << QStringLiteral("Messages, the newest first:") << m_reports.messages;
        lines << QString() << QStringLiteral("Log, the newest last:") << m_context.session.log().lines();
        return withoutHome(lines.join(QLatin1Char('\n')));
    }

    bool isOpen() const
    {
        const auto access = m_context.session.access();
        return access == Session::Access::writing || access == Session::Access::reading;
    }

    /// The disk may be slow: the size joins the report when it is known.
    void measureDatabase()
    {
        const auto size = [path = m_context.session.store()] {
            std::error_code error;
            const auto bytes = fs::file_size(path, error);
            return error ? std::optional<std::uintmax_t>() : bytes;
        };
        runInBackground(size, [this](std::optional<std::uintmax_t> bytes) {
            m_databaseBytes = bytes;
            m_text->setPlainText(report());
        });
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
            const auto write = [path = toPath(path), text = toUtf8(m_text->toPlainText())] {
                return writeFileAtomically(path, text);
            };
            runInBackground(write, [this, path](const Result<void>& written) { showSaved(path, written); });
        });
        dialog->open();
    }

    void showSaved(const QString& path, const Result<void>& written)
    {
        const QString text = written ? tr("Saved as %1.").arg(shortPath(path)) : messageOf(written.error());
        m_result->setText(text);
        if (isClosed())
            m_context.shell.notify({.severity = written ? Severity::done : Severity::error, .text = text}, true);
    }

    const PageContext& m_context;
    const Reports m_reports;
    QPlainTextEdit* m_text;
    QLabel* m_result;
    std::optional<std::uintmax_t> m_databaseBytes;
};

} // namespace

void showDiagnostics(const PageContext& context, const Reports& reports, QWidget* parent)
{
    (new Diagnostics(context, reports, parent))->open();
}

} // namespace ringside

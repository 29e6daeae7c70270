// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/dialogs/connectiondialogs.h"
#include "app/dialogs/dialogparts.h"
#include "app/text/text.h"
#include "app/widgets/card.h"
#include "app/widgets/labels.h"
#include "app/widgets/styled.h"

#include <QClipboard>
#include <QCoreApplication>
#include <QFormLayout>
#include <QGuiApplication>
#include <QLineEdit>
#include <QPushButton>
#include <QVBoxLayout>

namespace ringside {

namespace {

constexpr int kWidthOfKeys = 620; // both fingerprints on a line each

class HostKeyWords
{
    Q_DECLARE_TR_FUNCTIONS(ringside::HostKeyWords)
public:
    /// Judges a pasted text: people copy the whole line that has the key.
    static QString verdict(const QString& pasted, const QString& fingerprint)
    {
        bool isComparable = false;
        for (QString word : pasted.simplified().split(QLatin1Char(' '))) {
            while (word.endsWith(QLatin1Char('=')) || word.endsWith(QLatin1Char('.')))
                word.chop(1);
            if (word == fingerprint || word == fingerprint.section(QLatin1Char(':'), 1))
                return tr("They are the same.");
            isComparable = isComparable || word.startsWith(QStringLiteral("SHA256:"));
        }
        if (pasted.trimmed().isEmpty())
            return {};
        return isComparable ? tr("They differ: do not connect.")
                            : tr("This is no SHA256 fingerprint, so it cannot be compared.");
    }

    static QString advice(const HostKeyAlarm& alarm)
    {
        if (alarm.revoked)
            return tr("The owner of this file has revoked the key: it may have been stolen. Nothing was sent. Ask the "
                      "operators of the site for its new key.");
        return tr("The site was reinstalled, or someone is intercepting the connection. Nothing was sent. Ask its "
                  "operators; if the new key is right, remove the host's old keys yourself and connect again.");
    }

    static QString saving(const HostKeyQuestion& question)
    {
        if (question.keptIn.empty())
            return tr("will not be saved, and each connection asks again: the ssh configuration names no file for it "
                      "(UserKnownHostsFile none)");
        return tr("will be saved in %1").arg(shortPath(toQt(question.keptIn)));
    }
};

void addComparison(QuestionDialog& dialog, const QString& fingerprint)
{
    auto* pasted = new QLineEdit;
    pasted->setPlaceholderText(QStringLiteral("SHA256:…"));
    auto* verdict = makeLabel(LabelKind::caption);
    auto* form = new QFormLayout;
    form->addRow(HostKeyWords::tr("Paste the published one:"), pasted);
    form->addRow(QString(), verdict);
    QObject::connect(pasted, &QLineEdit::textChanged, verdict, [verdict, fingerprint](const QString& text) {
        verdict->setText(HostKeyWords::verdict(text, fingerprint));
    });
    dialog.body()->addLayout(form);
}

QLayout* bothKeys(const HostKeyAlarm& alarm)
{
    auto* rows = new QFormLayout;
    rows->setHorizontalSpacing(space::kGap);
    rows->setVerticalSpacing(4);
    auto* offered = makeMonospace(toQt(alarm.offeredType + " " + alarm.offeredFingerprint));
    offered->setProperty("alarm", true);
    rows->addRow(makeLabel(LabelKind::caption, HostKeyWords::tr("Known")),
                 makeMonospace(toQt(alarm.knownType + " " + alarm.knownFingerprint)));
    rows->addRow(makeLabel(LabelKind::caption, HostKeyWords::tr("Offered")), offered);
    return rows;
}

} // namespace

void askHostKey(QWidget* parent, const ThemeController& theme, const HostKeyQuestion& question,
                const HostKeyReply& reply)
{
    auto* dialog = new QuestionDialog(parent, theme,
                                      {HostKeyWords::tr("Host key"),
                                       HostKeyWords::tr("First connection to %1").arg(toQt(question.host)),
                                       QStringLiteral("key")});
    dialog->body()->addWidget(makeParagraph(
        LabelKind::text, HostKeyWords::tr("Nothing has been sent yet. Compare this fingerprint with the one that the "
                                          "site publishes or that its operators tell you.")));
    Card* quote = makeQuote();
    quote->body()->addWidget(makeLabel(LabelKind::caption, toQt(question.keyType)));
    quote->body()->addWidget(makeMonospace(toQt(question.fingerprint)));
    quote->body()->addWidget(makeParagraph(LabelKind::caption, HostKeyWords::saving(question)));
    dialog->body()->addWidget(quote);
    addComparison(*dialog, toQt(question.fingerprint));
    dialog->addButton(HostKeyWords::tr("I compared it: connect"), QDialogButtonBox::ActionRole,
                      [dialog, reply] { reply->give(true), dialog->accept(); });
    auto* cancel = dialog->addButton(HostKeyWords::tr("Cancel"), QDialogButtonBox::RejectRole);
    QObject::connect(dialog, &QDialog::rejected, dialog, [reply] { reply->give(false); });
    dialog->setStandard(cancel);
    cancel->setFocus();
    dialog->open();
}

void showHostKeyRefused(QWidget* parent, const ThemeController& theme, const HostKeyAlarm& alarm)
{
    auto* dialog = new QuestionDialog(
        parent, theme,
        {alarm.revoked ? HostKeyWords::tr("Host key revoked") : HostKeyWords::tr("Host key changed"),
         alarm.revoked ? HostKeyWords::tr("Stopped: the key of %1 is revoked").arg(toQt(alarm.host))
                       : HostKeyWords::tr("Stopped: the key of %1 has changed").arg(toQt(alarm.host)),
         QStringLiteral("octagon"), Ink::failed});
    dialog->setMinimumWidth(kWidthOfKeys);
    dialog->body()->addWidget(makeParagraph(LabelKind::text, HostKeyWords::advice(alarm)));
    Card* quote = makeQuote();
    quote->body()->addLayout(bothKeys(alarm));
    quote->body()->addWidget(makeLabel(
        LabelKind::caption, HostKeyWords::tr("%1, line %2").arg(shortPath(toQt(alarm.file))).arg(alarm.line)));
    dialog->body()->addWidget(quote);
    if (!alarm.removeCommand.empty())
        dialog->addButton(HostKeyWords::tr("Copy command to forget its keys"), QDialogButtonBox::ResetRole,
                          [command = toQt(alarm.removeCommand)] { QGuiApplication::clipboard()->setText(command); });
    auto* close = dialog->addButton(HostKeyWords::tr("Close"), QDialogButtonBox::RejectRole);
    dialog->setStandard(close);
    close->setFocus();
    dialog->open();
}

} // namespace ringside

// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/dialogs/connectiondialogs.h"
#include "app/dialogs/dialogparts.h"
#include "app/text/text.h"
#include "app/widgets/card.h"
#include "app/widgets/labels.h"

#include <QCheckBox>
#include <QCoreApplication>
#include <QDeadlineTimer>
#include <QFormLayout>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QTime>
#include <QTimer>
#include <QVBoxLayout>

namespace ringside {

namespace {

constexpr int kShortPrompt = 40; // characters

class SignInDialog : public QuestionDialog
{
    Q_DECLARE_TR_FUNCTIONS(ringside::SignInDialog)
public:
    SignInDialog(QWidget* parent, const ThemeController& theme, const PromptRound& round, bool canBeKept,
                 const PromptReply& reply)
        : QuestionDialog(parent, theme, headOf(round))
        , m_reply(reply)
        , m_left(makeLabel(LabelKind::caption))
        , m_keep(new QCheckBox(tr("Save it in the keychain")))
    {
        if (round.round > 1)
            addToHead(makeLabel(LabelKind::caption, tr("question %1").arg(round.round)));
        addServerText(round);
        addPrompts(round);
        body()->addWidget(m_keep);
        m_keep->setVisible(canBeKept);
        body()->addWidget(m_left);
        body()->addWidget(makeParagraph(
            LabelKind::caption,
            tr("Used once for this connection; all channels share it. Ringside never asks again by itself.")));
        addButton(tr("Cancel"), QDialogButtonBox::RejectRole);
        setStandard(addButton(tr("Continue"), QDialogButtonBox::AcceptRole, [this] { give(); }));
        connect(this, &QDialog::rejected, this, [this] { m_reply->giveUp(); });
        m_deadline.setRemainingTime(round.limit);
        m_tick.setInterval(1000);
        connect(&m_tick, &QTimer::timeout, this, [this] { tick(); });
        m_tick.start();
        tick();
    }

private:
    static DialogHead headOf(const PromptRound& round)
    {
        const QString subject = toQt(round.subject);
        QString sentence = tr("%1 asks for an answer").arg(subject);
        if (round.kind == PromptRound::Kind::password)
            sentence = tr("Password of %1").arg(subject);
        else if (round.kind == PromptRound::Kind::passphrase)
            sentence = tr("Passphrase of %1, for %2").arg(shortPath(subject), toQt(round.account));
        return {tr("Sign in"), sentence, QStringLiteral("shield")};
    }

    void addServerText(const PromptRound& round)
    {
        if (round.title.empty() && round.instruction.empty())
            return;
        Card* quote = makeQuote();
        quote->body()->addWidget(makeLabel(LabelKind::caption, tr("Text from %1").arg(toQt(round.subject))));
        for (const std::string& text : {round.title, round.instruction})
            if (!text.empty())
                quote->body()->addWidget(makeMonospace(toQt(text)));
        body()->addWidget(quote);
    }

    void addPrompts(const PromptRound& round)
    {
        auto* form = new QFormLayout;
        for (const Prompt& prompt : round.prompts) {
            auto* field = new QLineEdit;
            field->setEchoMode(prompt.echo ? QLineEdit::Normal : QLineEdit::Password);
            field->setInputMethodHints(Qt::ImhSensitiveData | Qt::ImhNoPredictiveText);
            const QString text = toQt(prompt.text).trimmed();
            field->setAccessibleName(text.isEmpty() ? tr("Answer") : text);
            addRow(*form, text, field);
            m_fields.push_back(field);
        }
        body()->addLayout(form);
        if (!m_fields.empty())
            m_fields.front()->setFocus();
    }

    /// The server's text is shown as it is, never as rich text; a long one is above its field.
    static void addRow(QFormLayout& form, const QString& text, QLineEdit* field)
    {
        if (text.size() <= kShortPrompt)
            return form.addRow(makeLabel(LabelKind::text, text), field);
        form.addRow(makeParagraph(LabelKind::text, text));
        form.addRow(field);
    }

    /// Enter in a field leads to the next: half an answer would count as a wrong one.
    bool goToNext()
    {
        for (std::size_t i = 0; i + 1 < m_fields.size(); ++i)
            if (m_fields[i]->hasFocus())
                return m_fields[i + 1]->setFocus(), true;
        return false;
    }

    void give()
    {
        if (goToNext())
            return;
        SignIn given;
        given.toBeKept = m_keep->isChecked();
        for (QLineEdit* field : m_fields) {
            QByteArray bytes = field->text().toUtf8();
            given.answers.emplace_back(std::string_view(bytes.constData(), std::size_t(bytes.size())));
            bytes.fill('\0');
            field->clear();
        }
        m_reply->give(std::move(given));
        accept();
    }

    /// The server hangs up at the end of it.
    void tick()
    {
        const qint64 seconds = (m_deadline.remainingTime() + 999) / 1000;
        m_left->setText(
            tr("%1 left to answer", "1:59").arg(QTime(0, 0).addSecs(int(seconds)).toString(QStringLiteral("m:ss"))));
        if (m_deadline.hasExpired())
            reject();
    }

    PromptReply m_reply;
    std::vector<QLineEdit*> m_fields;
    QLabel* m_left;
    QCheckBox* m_keep;
    QDeadlineTimer m_deadline;
    QTimer m_tick;
};

} // namespace

void askToSignIn(QWidget* parent, const ThemeController& theme, const PromptRound& round, bool canBeKept,
                 const PromptReply& reply)
{
    (new SignInDialog(parent, theme, round, canBeKept, reply))->open();
}

} // namespace ringside

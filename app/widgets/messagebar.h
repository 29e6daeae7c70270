// SPDX-License-Identifier: GPL-3.0-or-later
// The line under a page's header: what happened, where, what to do; at most one button, technical details on demand,
// and a cross. Stays until solved.
#pragma once

#include "app/style/themecontroller.h"

#include <QFrame>
#include <functional>
#include <vector>

class QLabel;
class QPlainTextEdit;
class QPushButton;
class QToolButton;

namespace ringside {

class IconLabel;

enum class Severity
{
    info,
    done,
    warning,
    error
};

struct Message
{
    Severity severity = Severity::info;
    QString text = {};
    QString button = {};            ///< verb on the button; empty: none
    std::function<void()> act = {}; ///< what the button does
    QString details = {};           ///< technical text, shown on demand; may be empty
    QString about = {};             ///< the experiment whose end it reports; removed when that end is undone
    QString topic = {};             ///< the condition that it reports for as long as it holds; empty: it only happened
};

struct MessageShape
{
    QString icon;
    Ink ink;
};
MessageShape shapeOf(Severity severity);

class MessageBar : public QFrame
{
    Q_OBJECT
public:
    explicit MessageBar(const ThemeController& theme);
    /// Replaces the present message, which comes back later if it has a topic. One message of each topic is stored.
    /// Announced to assistive technology.
    void setMessage(const Message& message);
    /// Removes the present message; the latest that holds replaces it.
    void clear();
    /// Drops the message on this topic, whether it is shown or was replaced.
    void drop(const QString& topic);
    QString text() const;
    QString about() const { return m_message.about; }

Q_SIGNALS:
    /// The user closed it.
    void dismissed();

private:
    QWidget* makeDetails();
    void showDetails(bool shown);
    void present(const Message& message);
    void forget(const QString& topic);

    Message m_message;
    std::vector<Message> m_holding; ///< those with a topic, the latest last
    IconLabel* m_icon;
    QLabel* m_text;
    QPushButton* m_button;
    QPushButton* m_more;
    QToolButton* m_close;
    QWidget* m_details;
    QPlainTextEdit* m_detailText;
};

} // namespace ringside

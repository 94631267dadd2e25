// English: texts of alerts, and searches without a result.

export const englishAlertsAndSubscribingTexts = {
  // The text of an alert
  "text.copy": "Copy text",
  "text.copied": "Copied.",
  "text.copy_code": "Copy code {code}",
  "text.less": "Show less",

  // Searches without a result
  "search.none": "No alerts match “{query}”.",
  "search.none_from": "No alerts from {channel} match “{query}”.",
  "search.none_of_channel": "No matching alerts from {channel}.",
  "search.clear": "Clear search",
  "search.no_channel": "No channels match “{query}”.",
  "search.no_channel_in": "No channels in “{category}” match “{query}”.",
  "search.none_in_category": "No channels in “{category}”.",

  // A channel
  "channel.settings": "Channel settings",

  // Subscribing, and channels that cannot alert this device
  "join.subscribe": "Subscribe and allow notifications",
  "join.silent": "Subscribe without notifications",
  "join.hint": "Turn off permissions that you do not want to grant. You can change this at any time.",
  "hello.title": "{channel}: notifications work",
  "hello.body": "Alerts from this channel will look like this.",
  "hello.sent": "A test notification was sent. If you do not see it, check your device’s notification settings.",
  "silent.title": "This channel can’t alert you yet.",
  "silent.one": "{channel} can’t alert you yet.",
  "silent.why": "Show why",
  "silent.how": "Show how",
  "silent.allow": "Allow notifications",
  "push.off": "Push notifications are off.",
  "push.not_allowed": "You have not allowed this channel to notify you or play sounds.",
  "push.asking": "Allow notifications in your browser’s prompt. If you do not see the prompt, check the address bar.",
  "push.pending": "Registering this device for push notifications…",
  "push.failed_late":
    "Your browser’s push service has not responded yet. Check your connection and whether a firewall or VPN is " +
    "blocking it.",
  "push.failed_service": "Your browser could not register with its push service. Check your connection and try again.",
  "push.failed_private":
    "Your browser does not allow push notifications here. If this is a private window, use a regular one.",
  "push.failed_worker": "The app’s background process did not start. Reload this page.",
  "works.certain": "Notifications are allowed, and push is registered.",
  "works.depends": "A locked phone makes a sound only if its volume, silent mode and battery saver permit it.",
  "silent.open_sounds": "Alerts sound only while the app is open.",
  "silent.open_shows": "Alerts appear only while the app is open.",
  "push.failed_refused": "This server cannot reach your browser’s notification service. Tell the person who runs it.",
  "steps.chromium1": "Select the icon next to the page’s address.",
  "steps.chromium2": "Open the permissions or site settings, and allow notifications.",
  "steps.firefox1": "Select the lock or permissions icon next to the page’s address.",
  "steps.firefox2": "Unblock notifications.",
  "steps.safari1": "Open Safari’s settings, and select Websites.",
  "steps.safari2": "Under Notifications, allow this site.",
  "steps.ios1": "Open the Settings app, and tap Notifications.",
  "steps.ios2": "Tap {app}, and turn on “Allow Notifications”.",
  "steps.home1": "Tap Share.",
  "steps.home2": "Choose “Add to Home Screen”.",
  "steps.home3": "Open the app from the home screen, and subscribe there.",
  "steps.return": "Return to this page. It checks again automatically.",
  "install.button": "Install app",
  "install.hint": "You can then open it from your home screen or desktop.",

  // Alerts that are put aside
  "alert.archive": "Archive",
  "alert.unarchive": "Move to inbox",
  "inbox.open": "Go to inbox",
  "alert.archived": "Archived",
  "alert.snoozed": "Snoozed",
  "alert.normal": "Normal",
  "inbox.archive": "Archive",
  "inbox.archive_empty": "Alerts that you archive are kept here.",
  "undo.do": "Undo",
  "undo.dismissed": "Alert dismissed.",
  "undo.archived": "Alert archived.",
  "undo.unarchived": "Alert moved to the inbox.",
  "undo.snoozed": "Alert snoozed.",
  "undo.unsnoozed": "Reminder cancelled.",
  "snooze.title": "Remind me later",
  "snooze.hour": "In 1 hour ({time})",
  "snooze.evening": "This evening ({time})",
  "snooze.tomorrow": "Tomorrow ({time})",
  "snooze.until": "Reminder: {time}",
  "snooze.cancel": "Cancel reminder",
  "snooze.hint":
    "If the app is open at that time, the alert rings again. Otherwise, it rings when you next open the app.",
  "why.snoozed": "You snoozed it.",

  // Pauses, quiet hours and sounds of a channel
  "pause.title": "Pause",
  "pause.hour": "For 1 hour (until {time})",
  "pause.eight": "For 8 hours (until {time})",
  "pause.tomorrow": "Until tomorrow ({time})",
  "pause.until": "Paused until {time}. Alerts still arrive, but without sound or notifications.",
  "pause.resume": "Resume",
  "pause.paused": "Paused",
  "why.paused": "You paused this channel.",
  "quiet.zone":
    "In this device’s time zone. If the period continues past midnight, those hours count as part of the previous " +
    "day. Alerts still arrive, but without sound.",
  "quiet.days": "On these days",
  "quiet.no_day": "Choose at least one day.",
  "sounds.title": "Sounds by priority",
  "sounds.hint":
    "The sound that you choose replaces the alert’s own sound. It plays at the volume for the alert’s priority. " +
    "Silent alerts stay silent.",
  "sounds.tone": "Tone",
  "sounds.vibration": "Vibration",
  "sounds.of_alert": "Set by the alert",
  "why.chosen_silent": "You silenced alerts of this priority.",
} as const;

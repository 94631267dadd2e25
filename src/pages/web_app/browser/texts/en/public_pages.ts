// English: the texts of the public pages that the app does not have. {name} is a value.

export const englishPublicPageTexts = {
  // Frame
  "page.your_alerts": "Your alerts",
  "page.docs": "Docs",
  "page.sign_in": "Sign in",
  "page.translation": "Translated by the Belfry project.",

  // A channel
  "page.push": "You can allow push notifications for when the app is closed.",
  "page.push_on_ios": "Set up on iPhone or iPad",
  "page.push_ios":
    "On iPhone and iPad, they work only if the app is on your home screen: tap Share, then “Add to Home Screen”.",
  "page.silent": "No notifications while the app is closed.",
  "page.paused": "Paused.",
  "page.paused_hint": "This channel sends no alerts until its owner resumes it. You can still subscribe.",
  "page.private": "Private.",
  "page.private_hint":
    "You can see this page because you were invited. Anyone with this address can join, so do not share it.",
  "page.copy_link": "Copy link",
  "page.no_account": "No account, name or address needed: the channel sees only the number of subscribers.",
  "page.perms": "Requested permissions",
  "page.perms_none": "No permissions requested",
  "page.perms_hint": "You choose which to allow when you subscribe. You can change this at any time.",
  "page.perm.notify": "Shows a banner when an alert arrives.",
  "page.perm.sound": "Plays a tone or a recording of up to {seconds} seconds.",
  "page.perm.vibrate": "Vibrates the device in a short pattern.",
  "page.perm.tts": "Reads the alert aloud with the device’s voice.",
  "page.perm.full": "For urgent alerts only.",
  "page.perm.loc": "Your device checks whether an alert applies to your location, which never leaves the device.",
  "page.perm.quiet": "Rings even during your quiet hours.",
  "page.newest": "Newest alerts",
  "page.empty": "New alerts from this channel will appear here.",
  "page.picture_of_alert": "Picture in this alert",
  "page.picture_from": "Show picture from {host}",
  "page.picture_of_channel": "Channel picture",
  "page.subscribers_only": "The full alert is shown to subscribers.",
  "page.details": "Details",
  "page.alert_types": "Alert types",
  "page.feeds": "Feeds",
  "page.on_phone": "Open on your phone",
  "page.your_invite": "Your invite",
  "page.qr_of": "QR code for this page’s address",
  "page.without_app": "Join without the web app",
  "page.without_app_hint":
    "Any HTTP client can act as a device. These commands register one, join the channel and read its alerts. See " +
    "the {reference} for details.",
  "page.reference": "API reference",

  // The directory
  "page.lede": "Public alert channels. Find one by name or tag, and subscribe on its page.",
  "page.search": "Search",
  "page.pages": "Pages",
  "page.back_to_newest": "Back to newest",
  "page.more_channels": "More channels",
  "page.no_channels": "No public channels yet",
  "page.no_channels_hint": "New public channels will appear here.",
  "page.no_match": "No public channel has a matching name or tag.",
  "page.show_all": "Show all channels",
  "near.button": "Near me",
  "near.hint": "Your location is used only on this device and is not sent anywhere.",
  "near.inside_one": "You are in its area",
  "near.away": "{distance} from its area",
  "near.locating": "Getting your location…",
  "near.none": "No channel has an area.",
  "near.outside": "You are not in any channel’s area. The nearest channels are listed first.",
  "near.inside": {
    one: "You are in the area of {count} channel. The nearest channels are listed first.",
    other: "You are in the area of {count} channels; nearest first.",
  },
  "near.only_newest": "Only the newest channels with an area were checked.",
  "near.offline": "The channels could not be loaded. Try again when you are online.",
  "near.denied": "Your location is not available. Allow it in the browser’s settings, or search by name.",

  // Pages that cannot be shown
  "refused.unknown": "You need an invite",
  "refused.unknown_hint":
    "No public channel has this address. If the channel is private, ask for its invite link or QR code. If you " +
    "typed the address, check it.",
  "refused.invite": "This invite is not valid",
  "refused.invite_hint":
    "It may be used up, expired or revoked, or the link may be incomplete. Ask the person who gave it to you " +
    "for a new one.",
  "refused.find": "Find a public channel",
  "missing.title": "Page not found",
  "missing.hint": "Check the address: the link may be incomplete.",
  "missing.home": "Go to the home page",
  "failed.title": "Request failed",
} as const;

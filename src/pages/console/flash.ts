// The message that a page shows once after a form was sent. A cookie carries its code, never its words.

export const FLASHES = {
  "signed-out": "You are signed out.",
  "session-ended": "The session was ended.",
  "password-changed": "Your password was changed, and every other session was ended.",
  "password-reset":
    "Your password was set. Other sessions and passkeys were ended, and two-factor authentication from before your address was proved.",
  "name-changed": "Your name was changed in every workspace.",
  "workspace-made": "The workspace was made. You are its owner.",
  "workspace-renamed": "The workspace has its new name.",
  "workspace-left": "You left the workspace.",
  "account-closed": "Your account is closed.",
  "second-factor-off": "Two-factor authentication is off. The password alone signs you in.",
  "passkey-added": "The passkey was added. You can sign in with it from now on.",
  "passkey-removed": "The passkey was removed. Nobody signs in with it any more.",
  "device-unlinked": "The device was unlinked. It is shown no test any more.",
  "channel-opened": "The channel is open. Write its first alert, and tell people where to subscribe.",
  "channel-opened-silent":
    "The channel is open. It asks subscribers for nothing, so its alerts only appear in the list, without a banner or a sound.",
  "channel-saved": "The channel was saved.",
  "channel-saved-silent":
    "The channel was saved. It asks subscribers for nothing, so its alerts only appear in the list, without a banner or a sound.",
  "channel-same": "Nothing was changed: the channel already was as you wrote it.",
  "channel-paused": "The channel is paused. Sends are refused until it goes on.",
  "channel-resumed": "The channel goes on. Alerts can be sent again.",
  "channel-deleted": "The channel was deleted, with all its alerts.",
  "invite-made": "The invite works now.",
  "invite-revoked": "The invite was revoked. It admits nobody else; who joined stays.",
  "invite-evicted": "The invite was revoked, and the phones that joined by it were unsubscribed.",
  "member-changed": "The member was changed. The change holds from the next request on.",
  "member-removed": "The member was removed. Its keys and connected assistants ended.",
  "file-uploaded": "The file was uploaded. The form of an alert offers it now.",
  "file-deleted": "The file was deleted.",
  "key-revoked": "The key was revoked. Its next call is refused.",
  "alert-drafted": "It is a draft again. No phone shows it.",
  "alert-saved": "Saved. No phone shows a draft.",
  "alert-tested": "Your own devices that follow the channel show it now, as a test. Nobody else does.",
  "alert-deleted": "The alert was deleted.",
  "alert-sent": "The alert was sent. Phones show it from now on.",
  "alert-sent-before": "This form had sent the alert already. It was not sent a second time.",
  "alert-scheduled": "The alert is scheduled. Phones show it from its instant on.",
  "alert-cancelled": "The alert was cancelled. Phones that have not fetched it never show it.",
  "alert-declined": "The alert was declined. Its author can read what you wrote.",
  "alert-duplicated": "This is the copy: a draft that nobody has seen.",
  "webhook-tested": "A test event is on its way. Reload the page to see how it ended.",
  "webhook-redelivered": "The event is on its way once more. Reload the page to see how it ended.",
  "webhook-enabled": "The webhook is enabled. What happens from now on is sent to it.",
  "webhook-deleted": "The webhook was deleted. Nothing is sent there any more.",
  disconnected: "The assistant was disconnected. Its next call is refused.",
} as const;

export type FlashCode = keyof typeof FLASHES;
export const FLASH_COOKIE = "belfry_flash";

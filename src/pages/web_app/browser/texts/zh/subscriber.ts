// Chinese: texts of alerts, and searches without a result.

import type { SubscriberTexts } from "../text_types.ts";

export const chineseSubscriberTexts: SubscriberTexts = {
  // The text of an alert
  "text.copy": "复制文字",
  "text.copied": "已复制。",
  "text.copy_code": "复制验证码 {code}",
  "text.less": "收起",

  // Searches without a result
  "search.none": "没有与“{query}”匹配的提醒。",
  "search.none_from": "{channel} 没有与“{query}”匹配的提醒。",
  "search.none_of_channel": "{channel} 没有匹配的提醒。",
  "search.clear": "清除搜索",
  "search.no_channel": "没有与“{query}”匹配的频道。",
  "search.no_channel_in": "“{category}”中没有与“{query}”匹配的频道。",
  "search.none_in_category": "“{category}”中没有频道。",

  // A channel
  "channel.settings": "频道设置",

  // Subscribing, and channels that cannot alert this device
  "join.subscribe": "订阅并允许通知",
  "join.silent": "订阅但不接收通知",
  "join.hint": "关闭您不想授予的权限。您可以随时更改。",
  "hello.title": "{channel}：通知正常",
  "hello.body": "此频道的提醒会这样显示。",
  "hello.sent": "已发送一条测试通知。如果没有看到，请检查设备的通知设置。",
  "silent.title": "此频道还无法提醒您。",
  "silent.one": "{channel} 还无法提醒您。",
  "silent.some": "您的部分频道还无法提醒您。",
  "silent.why": "查看原因",
  "silent.allow": "允许通知",
  "push.off": "此设备上的推送通知已关闭。",
  "push.not_allowed": "您没有允许它发送通知或播放声音。",
  "push.asking": "请在浏览器询问时允许通知。如果没有看到询问，请查看地址栏。",
  "push.pending": "正在为此设备注册推送通知…",
  "push.failed_late": "浏览器的推送服务尚未响应。请检查连接，以及是否被防火墙或 VPN 拦截。",
  "push.failed_service": "浏览器无法在其推送服务上注册。请检查连接后重试。",
  "push.failed_private": "浏览器在此拒绝推送通知，例如在无痕窗口中。请使用普通窗口。",
  "push.failed_worker": "应用的后台部分没有启动。请重新加载此页面。",
  "install.button": "安装应用",
  "install.hint": "之后可以从主屏幕或桌面打开。",

  // Alerts that are put aside
  "alert.archive": "归档",
  "alert.unarchive": "移到收件箱",
  "alert.archived": "已归档",
  "alert.snoozed": "已推迟",
  "alert.normal": "普通",
  "inbox.archive": "归档箱",
  "undo.do": "撤销",
  "undo.dismissed": "提醒已忽略。",
  "undo.archived": "提醒已归档。",
  "undo.unarchived": "提醒已移到收件箱。",
  "undo.snoozed": "提醒已推迟。",
  "undo.unsnoozed": "已取消再次提醒。",
  "snooze.title": "稍后提醒我",
  "snooze.hour": "1 小时后（{time}）",
  "snooze.evening": "今晚（{time}）",
  "snooze.tomorrow": "明天（{time}）",
  "snooze.until": "再次提醒：{time}",
  "snooze.cancel": "取消再次提醒",
  "snooze.hint": "应用打开时会再次响起，否则在您打开应用时响起。",
  "why.snoozed": "您推迟了它。",

  // Pauses, quiet hours and sounds of a channel
  "pause.title": "暂停",
  "pause.hour": "1 小时（到 {time}）",
  "pause.eight": "8 小时（到 {time}）",
  "pause.tomorrow": "到明天（{time}）",
  "pause.until": "已暂停到 {time}。它的提醒仍会送达，但没有声音和通知。",
  "pause.resume": "恢复",
  "pause.paused": "已暂停",
  "why.paused": "您暂停了此频道。",
  "quiet.zone": "按此设备的时区。午夜之后的时间属于前一天。提醒仍会送达，但没有声音。",
  "quiet.days": "在这些日子",
  "quiet.no_day": "请至少选择一天。",
  "sounds.title": "按优先级设置声音",
  "sounds.hint": "您的选择会以该优先级的音量代替提醒的声音。静音的提醒保持静音。",
  "sounds.tone": "铃声",
  "sounds.vibration": "振动",
  "sounds.of_alert": "由提醒决定",
  "why.chosen_silent": "您为此优先级的提醒选择了静音。",
};

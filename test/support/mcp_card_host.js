// A chat for tests of the card: it shows an HTML file in a sandboxed frame through the bridge of MCP Apps.

import { AppBridge, PostMessageTransport } from "@modelcontextprotocol/ext-apps/app-bridge";

let frame;
let bridge;

window.openCard = async ({ html, hostContext, capabilities, input, result }) => {
  frame?.remove();
  frame = document.createElement("iframe");
  frame.sandbox = "allow-scripts";
  frame.style = "width: 100%; border: 0; height: 50px";
  document.body.append(frame);
  bridge = new AppBridge(null, { name: "host", version: "1" }, capabilities, { hostContext });
  bridge.onopenlink = (params) => window.openLink(params);
  bridge.oncalltool = (params) => window.callTool(params);
  bridge.onsizechange = ({ height }) => {
    frame.style.height = `${height}px`;
  };
  const initialized = new Promise((resolve) => {
    bridge.oninitialized = resolve;
  });
  await bridge.connect(new PostMessageTransport(frame.contentWindow, frame.contentWindow));
  frame.srcdoc = html;
  await initialized;
  await bridge.sendToolInput({ arguments: input });
  await bridge.sendToolResult(result);
};
window.changeContext = (context) => bridge.setHostContext(context);
window.closeCard = () => bridge.teardownResource({});

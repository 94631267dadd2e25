// The reasons why no connection to a server was made, by the code of Node's error: the problem, and what to do.

interface ConnectionProblem {
  /** A sentence without its full stop. */
  problem: string;
  /** A clause that begins with a verb in lower case. */
  solution: string;
  /** Both, as sentences. */
  message: string;
}

const describe = (problem: string, solution: string): ConnectionProblem => {
  const message = `${problem}. ${solution.slice(0, 1).toUpperCase()}${solution.slice(1)}.`;
  return { problem, solution, message };
};

/** The codes of OpenSSL for a certificate that no trusted authority has signed. */
const UNTRUSTED = new Set([
  ...["DEPTH_ZERO_SELF_SIGNED_CERT", "SELF_SIGNED_CERT_IN_CHAIN", "UNABLE_TO_VERIFY_LEAF_SIGNATURE"],
  ...["UNABLE_TO_GET_ISSUER_CERT", "UNABLE_TO_GET_ISSUER_CERT_LOCALLY", "CERT_UNTRUSTED", "INVALID_CA"],
]);

/** Failures of the handshake, for example because the server answers http, or has no certificate for this name. */
const HANDSHAKE = /^(EPROTO|ERR_SSL_(WRONG_VERSION_NUMBER|PACKET_LENGTH_TOO_LONG|UNSUPPORTED_PROTOCOL|\w+_NAME))$/;
/** An alert of the server in the handshake. The excluded ones end a connection whose request may have been executed. */
const HANDSHAKE_ALERT = /^ERR_SSL_[\w/]+_ALERT_(?!BAD_RECORD_MAC|DECRYPT)\w+$/;

/**
 * Returns the code of an error or of its causes, or null without one. The text of an error is not used, because it may
 * quote private values.
 */
export function getErrorCode(error: unknown): string | null {
  for (let at = error as { code?: unknown; cause?: unknown } | undefined; at; at = at.cause as typeof at)
    if (typeof at.code === "string" && /^[\w/]{1,64}$/.test(at.code)) return at.code;
  return null;
}

/**
 * Explains why no connection was made, if the certificate or the host name of this URL is the reason. Null for other
 * errors.
 */
export function explainTlsOrHostNameError(url: string, error: unknown): ConnectionProblem | null {
  const code = getErrorCode(error) ?? "";
  const { host = url, hostname = url } = URL.parse(url) ?? {};
  const certificate = (fault: string, solution: string) =>
    describe(`The certificate of ${host} ${fault} (${code})`, solution);
  if (UNTRUSTED.has(code))
    return certificate(
      "is not trusted by this machine",
      "set NODE_EXTRA_CA_CERTS to a file that contains its issuer's certificate (docs/how-to/https.md#a-home-network)",
    );
  if (code === "CERT_HAS_EXPIRED") return certificate("has expired", "renew it, and check this machine's clock");
  if (code === "CERT_NOT_YET_VALID") return certificate("is not valid yet", "check this machine's clock");
  if (code === "ERR_TLS_CERT_ALTNAME_INVALID")
    return certificate(
      "is for a different host name",
      "use a host name from the certificate, or get a new certificate",
    );
  if (HANDSHAKE.test(code) || HANDSHAKE_ALERT.test(code))
    return describe(
      `${host} did not complete the TLS handshake (${code})`,
      "check that it has a certificate for this host name, or use its http URL",
    );
  if (/^(ENOTFOUND|EAI_\w+)$/.test(code))
    return describe(
      `The host name ${hostname} was not found (${code})`,
      hostname.endsWith(".localhost")
        ? "add it to the hosts file, because this system does not resolve names below .localhost"
        : "check the address and its DNS record",
    );
  return null;
}

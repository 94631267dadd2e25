// Whether a delivery is genuine: IsGenuine(header, body, secret). Go's own library and nothing else.
package webhooks

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"strconv"
	"strings"
	"time"
)

const tolerance = 300 * time.Second

// IsGenuine takes X-Webhook-Signature and what came, before anything parses it. A header may hold several v1: one that fits
// is enough.
func IsGenuine(header string, rawBody []byte, secret string) bool {
	named := map[string][]string{}
	for _, element := range strings.Split(header, ",") {
		name, value, _ := strings.Cut(strings.TrimSpace(element), "=")
		named[name] = append(named[name], value)
	}
	timestamp := strings.Join(named["t"], " and ")
	sentAt, err := strconv.ParseInt(timestamp, 10, 64)
	if err != nil || time.Since(time.Unix(sentAt, 0)).Abs() > tolerance {
		return false
	}
	mac := hmac.New(sha256.New, []byte(secret))
	mac.Write([]byte(timestamp + "."))
	mac.Write(rawBody)
	expected, genuine := mac.Sum(nil), false
	for _, signature := range named["v1"] {
		given, _ := hex.DecodeString(signature)
		// Every one is compared, whole: the time that it takes tells nothing.
		genuine = hmac.Equal(given, expected) || genuine
	}
	return genuine
}

// Verifies the signature of a delivery: Verify(header, body, secret). Needs only Go's own library.
package webhooks

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"strconv"
	"strings"
	"time"
)

const tolerance = 300 * time.Second

// With ErrTime the signature fits: the delivery is old, or a clock is wrong.
var ErrSignature, ErrTime = errors.New("wrong signature"), errors.New("wrong time")

// Verify answers nil for a genuine delivery. rawBody is the body before anything parses it. One v1 that fits is enough.
func Verify(header string, rawBody []byte, secret string) error {
	if secret == "" {
		return errors.New("no secret: set WEBHOOK_SECRET")
	}
	named := map[string][]string{}
	for _, element := range strings.Split(header, ",") {
		name, value, _ := strings.Cut(strings.TrimSpace(element), "=")
		named[name] = append(named[name], value)
	}
	timestamp, genuine := strings.Join(named["t"], ","), false
	mac := hmac.New(sha256.New, []byte(secret))
	mac.Write([]byte(timestamp + "." + string(rawBody)))
	expected := []byte(hex.EncodeToString(mac.Sum(nil)))
	for _, signature := range named["v1"] {
		// Each one is compared as a whole, so the time that it takes reveals nothing.
		genuine = hmac.Equal([]byte(strings.ToLower(signature)), expected) || genuine
	}
	sentAt, err := strconv.ParseUint(timestamp, 10, 50)
	if !genuine || err != nil {
		return ErrSignature
	}
	if time.Since(time.Unix(int64(sentAt), 0)).Abs() > tolerance {
		return ErrTime
	}
	return nil
}

package value

import "time"

// parseDay reads an ISO date as schema.ParseDate does, without allocating.
func parseDay(text []byte) (midnight time.Time, ok bool) {
	if len(text) != len("2006-01-02") || text[4] != '-' || text[7] != '-' {
		return midnight, false
	}
	year, okYear := fixedDigits(text[:4])
	month, okMonth := fixedDigits(text[5:7])
	day, okDay := fixedDigits(text[8:])
	if !okYear || !okMonth || !okDay || month < 1 || month > 12 || day < 1 || day > 31 {
		return midnight, false
	}
	midnight = time.Date(year, time.Month(month), day, 0, 0, 0, 0, time.UTC)
	return midnight, midnight.Day() == day // a day that the month lacks is one of the next
}

// parseInstant reads an ISO datetime as schema.ParseDatetime does, without allocating: seconds since 1970 and nanoseconds.
func parseInstant(text []byte) (seconds int64, nanos int, ok bool) {
	const whole = len("2006-01-02T15:04:05")
	if len(text) <= whole || text[10] != 'T' || text[13] != ':' || text[16] != ':' {
		return 0, 0, false
	}
	day, ok := parseDay(text[:10])
	hour, okHour := fixedDigits(text[11:13])
	minute, okMinute := fixedDigits(text[14:16])
	second, okSecond := fixedDigits(text[17:whole])
	if !ok || !okHour || !okMinute || !okSecond || hour > 23 || minute > 59 || second > 59 {
		return 0, 0, false
	}
	rest := text[whole:]
	if rest[0] == '.' {
		n := leadingDigits(rest[1:])
		if n == 0 || n > 9 {
			return 0, 0, false
		}
		nanos, _ = fixedDigits(rest[1 : 1+n])
		for range 9 - n {
			nanos *= 10
		}
		rest = rest[1+n:]
	}
	offset, ok := parseOffset(rest)
	if !ok {
		return 0, 0, false
	}
	seconds = day.Unix() + int64(hour*3600+minute*60+second-offset)
	year := time.Unix(seconds, 0).UTC().Year()
	return seconds, nanos, year >= 0 && year <= 9999
}

// parseOffset reads Z, or the hours and minutes by which a clock is ahead of UTC, as seconds.
func parseOffset(text []byte) (seconds int, ok bool) {
	if string(text) == "Z" {
		return 0, true
	}
	if len(text) != len("+00:00") || text[0] != '+' && text[0] != '-' || text[3] != ':' {
		return 0, false
	}
	hour, okHour := fixedDigits(text[1:3])
	minute, okMinute := fixedDigits(text[4:])
	seconds = hour*3600 + minute*60
	if text[0] == '-' {
		seconds = -seconds
	}
	return seconds, okHour && okMinute && hour <= 23 && minute <= 59
}

// fixedDigits reads a number that is made of digits alone.
func fixedDigits(b []byte) (n int, ok bool) {
	for _, c := range b {
		if c < '0' || c > '9' {
			return 0, false
		}
		n = 10*n + int(c-'0')
	}
	return n, true
}
